// What stays when a page or a part of it is replaced: the focus, what is open, what was typed or moved and not sent yet.
"use strict";

const typed = new Set();
let replacing = false;

function twin(element, old, fresh) {
  if (element.id) return fresh.querySelector(`#${CSS.escape(element.id)}`);
  const words = (each) => `${each.name || ""} ${each.getAttribute("aria-label") || each.textContent}`;
  const form = element.form && element.form.getAttribute("action");
  const alike = (each) =>
    each.tagName === element.tagName && (each.form ? each.form.getAttribute("action") : null) === form
    && (element.matches("input, textarea, select") ? each.name === element.name : words(each) === words(element));
  const before = [...old.querySelectorAll(element.tagName)].filter(alike);
  return [...fresh.querySelectorAll(element.tagName)].filter(alike)[before.indexOf(element)] || null;
}

function replace(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const target = focused && (focused === old ? fresh : twin(focused, old, fresh));
  for (const each of old.querySelectorAll("details[open]")) {
    const same = each.id && fresh.querySelector(`#${CSS.escape(each.id)}`);
    if (same) same.open = true;
  }
  for (const control of [...typed]) {
    if (!old.contains(control)) continue;
    typed.delete(control);
    const same = twin(control, old, fresh);
    if (!same || same.type === "file") continue;
    same.value = control.value;
    if ("checked" in control) same.checked = control.checked;
    typed.add(same);
  }
  for (const list of old.querySelectorAll("[data-sort][data-moved]")) sortAs(list, twin(list, old, fresh));
  replacing = true;
  const kept = Boolean(target) && graft(old, fresh, focused, target);
  if (!kept) {
    old.replaceWith(document.adoptNode(fresh));
    if (target) target.focus({ preventScroll: true });
  }
  replacing = false;
  return { live: kept ? old : fresh, focused, target };
}

// What has the focus stays itself, with its caret, what is marked in it or a list that is open; all around it is new.
function graft(old, fresh, focused, target) {
  const path = (from, to) => (to === from ? [from] : [...path(from, to.parentElement), to]);
  const [stays, comes] = [path(old, focused), path(fresh, target)];
  if (stays.length !== comes.length || stays.some((each, i) => each.tagName !== comes[i].tagName)) return false;
  stays.forEach((each, i) => {
    for (const { name } of [...each.attributes]) {
      if (name !== "open" && !comes[i].hasAttribute(name)) each.removeAttribute(name);
    }
    for (const { name, value } of comes[i].attributes) {
      if (each.getAttribute(name) !== value) each.setAttribute(name, value);
    }
    const around = [...comes[i].childNodes];
    const next = stays[i + 1];
    if (next) {
      const place = around.indexOf(comes[i + 1]);
      for (const other of [...each.childNodes]) if (other !== next) other.remove();
      next.before(...around.slice(0, place));
      next.after(...around.slice(place + 1));
    } else if (each.innerHTML !== comes[i].innerHTML) each.replaceChildren(...around);
  });
  if (typed.delete(target)) typed.add(focused);
  else if ("value" in focused && focused.type !== "file" && focused.value !== target.value) focused.value = target.value;
  if ("checked" in focused) focused.checked = target.checked;
  return true;
}

function sortAs(list, fresh) {
  if (!fresh) return;
  const lines = new Map([...fresh.children].map((line) => [line.querySelector("input").value, line]));
  for (const line of list.children) {
    const same = lines.get(line.querySelector("input").value);
    if (same) fresh.append(same);
  }
  fresh.dataset.moved = "";
}
