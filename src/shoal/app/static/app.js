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

let shown = 0; // how many times the page was replaced
let refused = null; // why a change was not taken, until it is shown

function swap(next, address) {
  shown += 1;
  if (refused && !next.querySelector("#said .message")) next.getElementById("said").replaceWith(refused);
  refused = null;
  const same = address === location.pathname;
  if (!same) typed.clear();
  let kept = false;
  for (const id of ["header", "main"]) {
    const fresh = next.getElementById(id);
    const old = document.getElementById(id);
    if (fresh && old) kept = Boolean(replace(old, fresh).target) || kept;
  }
  document.title = next.title;
  document.documentElement.lang = next.documentElement.lang;
  if (!same) {
    history.pushState({}, "", address);
    window.scrollTo(0, 0);
  }
  if (!same || !kept) document.getElementById("main").focus({ preventScroll: true });
  prepare();
}

async function show(address) {
  const answer = await fetch(address);
  swap(parse(await answer.text()), new URL(answer.url).pathname);
}

// A page is not replaced under a finger or a mouse that is down, or its click would be lost; nor while a line is
// dragged. Lists that open and menus swallow what would tell that the finger is up again.
let pressed = false;
let dragged = null;
document.addEventListener("pointerdown", (event) => { pressed = !event.button && !event.target.closest("select"); });
for (const name of ["pointerup", "pointercancel", "contextmenu"]) {
  document.addEventListener(name, () => { pressed = false; });
}
window.addEventListener("blur", () => { pressed = false; });

async function released() {
  while (pressed || dragged) await new Promise((done) => setTimeout(done, 30));
}

// Changes and files are sent one after the other; the page shows the answer to the last of them.
const waiting = [];
let sending = null;
let leaving = false;
const LARGEST_KEPT_ALIVE = 60000; // bytes: browsers refuse to finish more after the page is gone

function enqueue(change) {
  waiting.push(change);
  document.documentElement.dataset.saving = "";
  if (!sending) sending = sendAll();
}

const written = (form, submitter) =>
  ({ form, address: form.action, values: new URLSearchParams(new FormData(form, submitter)) });

function send(form, submitter) {
  const change = written(form, submitter);
  for (const control of form.elements) {
    // What counts only with another field (c without l) stays as it was typed until that one is there.
    if (submitter || control.hasAttribute("data-submit")) typed.delete(control);
  }
  for (const list of form.querySelectorAll("[data-moved]")) delete list.dataset.moved;
  enqueue(change);
}

// Which table the page shows: another tab may have opened another one, with other columns at their places.
const table = () => document.getElementById("main").dataset.table;

function post({ address, values }) {
  const keepalive = values.toString().length < LARGEST_KEPT_ALIVE;
  return fetch(address, { method: "POST", body: values, keepalive, headers: { "shoal-table": table() } });
}

async function sendAll() {
  while (waiting.length) {
    try {
      const change = waiting.shift();
      const answer = await (change.file ? put(change) : post(change));
      const next = parse(await answer.text());
      await released();
      const said = next.querySelector("#said[data-refused]");
      if (said) {
        refused = said;
        const texts = change.form ? change.form.querySelectorAll("textarea") : [];
        for (const text of texts) typed.add(text); // nobody types a plan twice
      }
      if (!waiting.length && !leaving) swap(next, new URL(answer.url).pathname);
    } catch {
      if (!leaving) failed();
    }
  }
  delete document.documentElement.dataset.saving;
  sending = null;
}

// Whoever changes something and goes on at once goes on with the change: links wait for the answer, and stay where it
// was refused; what is not sent yet when the page is left in another way (an address, a reload, a tab that is closed)
// is sent as it goes.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']:not([download], [target])");
  if (!link || !sending || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  leaving = true;
  sending.then(() => {
    leaving = false;
    if (refused) show(location.pathname).catch(failed);
    else location.href = link.href;
  });
});

// A download that is refused fails in the browser's list without a word: the page asks first, and shows why.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[download]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const start = link.cloneNode(); // outside of the page: its click does not come here
  fetch(link.href, { method: "HEAD" }).then((answer) => {
    if (answer.ok) start.click();
    else location.href = start.href;
  }).catch(failed);
});

function flush() {
  const forms = new Set([...typed].filter((each) => each.isConnected && each.hasAttribute("data-submit")).map((each) => each.form));
  const left = waiting.splice(0).filter((change) => !change.file);
  left.push(...[...forms].filter((form) => form.checkValidity()).map((form) => written(form, null)));
  typed.clear();
  for (const change of left) post(change).catch(() => {});
  return left.length;
}

window.addEventListener("beforeunload", () => {
  // Where the page stays after all, it shows what became of it.
  if (flush()) setTimeout(() => show(location.pathname).catch(failed), 1000);
});

window.addEventListener("pagehide", () => {
  leaving = true;
  flush();
});

window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  leaving = false;
  show(location.pathname).catch(failed);
});

window.addEventListener("popstate", async () => {
  leaving = true;
  await sending;
  leaving = false;
  show(location.pathname).catch(failed);
});

document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("data-swap")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("input", (event) => { typed.add(event.target); });

document.addEventListener("change", (event) => {
  const control = event.target;
  if (replacing) return;
  if (control.dataset.upload && control.files.length) enqueue({ address: control.dataset.upload, file: control.files[0] });
  else if (control.hasAttribute("data-submit") && control.form.reportValidity()) send(control.form, null);
});

// A field that was carried over while somebody typed in it does not tell that it was changed.
document.addEventListener("focusout", (event) => {
  const control = event.target;
  if (replacing || !typed.has(control) || !control.hasAttribute("data-submit")) return;
  if (control.form.reportValidity()) send(control.form, null);
});

// Parts of the page that ask for themselves again.
const asked = new WeakSet();

async function ask(part) {
  await new Promise((done) => setTimeout(done, Number(part.dataset.every)));
  if (!part.isConnected) return;
  const before = shown;
  try {
    const answer = await fetch(part.dataset.poll);
    const fresh = parse(await answer.text()).getElementById(part.id);
    await released();
    if (!part.isConnected) return;
    asked.delete(part);
    if (shown !== before) return prepare(); // it was kept in a newer page, for the focus is in it
    if (!fresh) return await show(location.pathname);
    const finished = !fresh.dataset.poll;
    const { focused, target } = replace(part, fresh);
    if (focused && !target) {
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
  const before = shown;
  // Not the whole page: what it has to say would be said to nobody.
  const next = parse(await (await fetch(`/header${location.pathname}`)).text());
  await released();
  if (shown !== before || sending) return; // a newer one is there, or comes
  const old = document.getElementById("header");
  const fresh = next.getElementById("header");
  if (old && fresh) replace(old, fresh);
}

// Uploads: the bytes of the file, streamed; the answer is the page to show.
function put({ address, file }) {
  const bar = document.querySelector(".uploading");
  const request = new XMLHttpRequest();
  const mark = address.includes("?") ? "&" : "?";
  request.open("PUT", `${address}${mark}name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("content-type", "application/octet-stream");
  request.setRequestHeader("shoal-table", table());
  if (bar) {
    bar.hidden = false;
    request.upload.onprogress = (event) => { bar.value = (100 * event.loaded) / event.total; };
  }
  return new Promise((done) => {
    request.onload = () => done(request.responseText.startsWith("/") ? request.responseText : location.pathname);
    // A server that refuses a file which is too large hangs up before it has read all of it.
    request.onerror = () => done(location.pathname);
    request.send(file);
  }).then((where) => fetch(where));
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
  if (event.dataTransfer.files.length) enqueue({ address: place.dataset.drop, file: event.dataTransfer.files[0] });
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
  line.parentElement.dataset.moved = "";
  arrow.focus();
});
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
  dragged.parentElement.dataset.moved = "";
});
document.addEventListener("dragend", () => { dragged = null; });

// The plan as it is typed.
let checking = 0;
document.addEventListener("input", (event) => {
  const text = event.target;
  if (!text.dataset || !text.dataset.check) return;
  clearTimeout(checking);
  checking = setTimeout(async () => {
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
