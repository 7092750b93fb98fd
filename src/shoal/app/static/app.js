// What pages do beyond links and forms: send a form without leaving, ask again while something is under way, upload,
// check a plan as it is typed, put categories in an order. Without it, forms still work.
"use strict";

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

function failed() {
  const main = document.getElementById("main");
  const said = document.getElementById("said");
  if (!main || !said) return;
  const sentence = document.createElement("p");
  sentence.className = "message";
  sentence.setAttribute("role", "alert");
  sentence.textContent = main.dataset.gone;
  said.replaceChildren(sentence);
}

function swap(text, address) {
  const next = parse(text);
  const focused = document.activeElement && document.activeElement.id;
  const open = [...document.querySelectorAll("details[open][id]")].map((each) => each.id);
  const same = address === location.pathname;
  for (const id of ["header", "main"]) {
    const fresh = next.getElementById(id);
    const old = document.getElementById(id);
    if (fresh && old) old.replaceWith(document.adoptNode(fresh));
  }
  document.title = next.title;
  document.documentElement.lang = next.documentElement.lang;
  for (const id of open) {
    const each = document.getElementById(id);
    if (each) each.open = true;
  }
  if (!same) {
    history.pushState({}, "", address);
    window.scrollTo(0, 0);
  }
  const target = (same && focused && document.getElementById(focused)) || document.getElementById("main");
  target.focus({ preventScroll: true });
  prepare();
}

async function show(address) {
  const answer = await fetch(address);
  swap(await answer.text(), new URL(answer.url).pathname);
}

// A page is not replaced under a finger or a mouse that is down, or its click would be lost.
let pressed = false;
document.addEventListener("pointerdown", () => { pressed = true; });
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => { pressed = false; });

async function released() {
  do await new Promise((done) => setTimeout(done, 30)); while (pressed);
}

let sending = Promise.resolve();
let pending = 0;

function send(form, submitter) {
  const values = new URLSearchParams(new FormData(form, submitter));
  pending += 1;
  sending = sending.then(async () => {
    try {
      const answer = await fetch(form.action, { method: "POST", body: values });
      const text = await answer.text();
      if (pressed) await released();
      if (pending === 1 && !leaving) swap(text, new URL(answer.url).pathname);
    } catch {
      failed();
    }
    pending -= 1;
  });
}

// Whoever changes something and goes on at once goes on with the change.
let leaving = false;
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']:not([download], [target])");
  if (!link || !pending) return;
  event.preventDefault();
  leaving = true;
  sending.then(() => { location.href = link.href; });
});

document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("data-swap")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("change", (event) => {
  const control = event.target;
  if (control.dataset.upload && control.files.length) upload(control.dataset.upload, control.files[0]);
  else if (control.hasAttribute("data-submit") && control.form.reportValidity()) send(control.form, null);
});

window.addEventListener("popstate", () => show(location.pathname));

// Parts of the page that ask for themselves again.
const asked = new WeakSet();

async function ask(part) {
  await new Promise((done) => setTimeout(done, Number(part.dataset.every)));
  if (!part.isConnected) return;
  try {
    const answer = await fetch(part.dataset.poll);
    const fresh = parse(await answer.text()).getElementById(part.id);
    if (!fresh || !part.isConnected) return;
    const inside = part.contains(document.activeElement) && document.activeElement.tagName === "BUTTON";
    const finished = !fresh.dataset.poll;
    part.replaceWith(document.adoptNode(fresh));
    if (inside) {
      const next = fresh.querySelector("button, a");
      if (next) next.focus({ preventScroll: true });
    }
    if (finished) await refreshHeader();
    prepare();
  } catch {
    failed();
  }
}

async function refreshHeader() {
  const next = parse(await (await fetch(location.pathname)).text());
  const old = document.getElementById("header");
  const fresh = next.getElementById("header");
  if (old && fresh) old.replaceWith(document.adoptNode(fresh));
}

// Uploads: the bytes of the file, streamed; the answer is the page to show.
function upload(address, file) {
  const bar = document.querySelector(".uploading");
  const request = new XMLHttpRequest();
  const mark = address.includes("?") ? "&" : "?";
  request.open("PUT", `${address}${mark}name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("content-type", "application/octet-stream");
  if (bar) {
    bar.hidden = false;
    request.upload.onprogress = (event) => { bar.value = (100 * event.loaded) / event.total; };
  }
  request.onload = () => show(request.responseText.startsWith("/") ? request.responseText : location.pathname);
  // A server that refuses a file which is too large hangs up before it has read all of it.
  request.onerror = () => show(location.pathname).catch(failed);
  request.send(file);
}

document.addEventListener("dragover", (event) => {
  const place = event.target.closest("[data-drop]");
  if (place) { event.preventDefault(); place.classList.add("over"); }
});
document.addEventListener("dragleave", (event) => {
  const place = event.target.closest("[data-drop]");
  if (place) place.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  const place = event.target.closest("[data-drop]");
  if (!place) return;
  event.preventDefault();
  place.classList.remove("over");
  if (event.dataTransfer.files.length) upload(place.dataset.drop, event.dataTransfer.files[0]);
});

// Orders: by arrows, and by dragging.
document.addEventListener("click", (event) => {
  const arrow = event.target.closest("[data-move]");
  if (!arrow) return;
  const line = arrow.closest("li");
  const other = arrow.dataset.move === "up" ? line.previousElementSibling : line.nextElementSibling;
  if (!other) return;
  if (arrow.dataset.move === "up") other.before(line);
  else other.after(line);
  arrow.focus();
});
let dragged = null;
document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest ? event.target.closest("[data-sort] > li") : null;
});
document.addEventListener("dragover", (event) => {
  const over = dragged && event.target.closest("[data-sort] > li");
  if (!over || over === dragged || over.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  const box = over.getBoundingClientRect();
  if (event.clientY < box.top + box.height / 2) over.before(dragged);
  else over.after(dragged);
});
document.addEventListener("dragend", () => { dragged = null; });

// The plan as it is typed.
let waiting = 0;
document.addEventListener("input", (event) => {
  const text = event.target;
  if (!text.dataset || !text.dataset.check) return;
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const answer = await fetch(text.dataset.check, { method: "POST", body: new URLSearchParams({ toml: text.value }) });
    const said = document.getElementById("toml-said");
    if (!said) return;
    said.textContent = await answer.text();
    said.classList.toggle("wrong", !answer.ok);
  }, 250);
});

// Points of the map: a click takes the plan whose number the point begins with.
document.addEventListener("click", (event) => {
  const point = event.target.closest(".map path[data-tip]");
  const number = point && /^(\d+):/.exec(point.dataset.tip);
  const take = number && document.getElementById(`take-${Number(number[1]) - 1}`);
  if (take) take.click();
});

function prepare() {
  for (const part of document.querySelectorAll("[data-poll]")) {
    if (!asked.has(part)) { asked.add(part); ask(part); }
  }
}
prepare();
