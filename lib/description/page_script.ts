/**
 * The script of the service page. The page works without it; with it, the picture follows the
 * fields, and requests and replies are seen as they go over the wire.
 *
 * It knows no form of request: the samples on the page have their values marked, and it puts those
 * of the fields in their place. What stands in the pane is what is sent.
 *
 * @module
 */

const SOURCE = String.raw`
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const page = document.documentElement;
  page.classList.add("js");

  // 160 bits, as 32 characters of Base32.
  const randomSecret = () =>
    [...crypto.getRandomValues(new Uint8Array(20))]
      .map((byte) => byte.toString(2).padStart(8, "0")).join("")
      .replace(/.{5}/g, (bits) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(bits, 2)]);

  // ---- The server's clock, by the Date of its replies, which has whole seconds.
  let clockOffset;
  const readClock = (reply) => {
    const date = Date.parse(reply.headers.get("date"));
    if (date) clockOffset = date + 500 - Date.now();
  };
  const showClocks = () => {
    if (clockOffset === undefined) return;
    const seconds = Math.floor((Date.now() + clockOffset) / 1000);
    for (const clock of all(".clock")) {
      const period = Number(clock.dataset.period);
      const left = period - seconds % period;
      const skew = Math.round(-clockOffset / 1000);
      one(".time", clock).textContent = new Date(seconds * 1000).toISOString().slice(11, 19);
      one(".left", clock).textContent = left;
      one("progress", clock).value = left;
      one(".skew", clock).textContent = Math.abs(skew) < 5 ? "" :
        "The clock of this device is " + Math.abs(skew) + " s " + (skew < 0 ? "behind." : "ahead.");
    }
  };

  // ---- Requests and replies
  const encoders = {
    xml: (value) => value.replace(/[&<>]/g, (c) => "&#" + c.charCodeAt(0) + ";"),
    json: (value) => JSON.stringify(value).slice(1, -1),
    form: (value) => new URLSearchParams([["", value]]).toString().slice(1),
  };
  const valuesOf = (form) => Object.fromEntries(new FormData(form));

  const fillIn = (pane, values) => {
    const encode = encoders[/content-type:.*(xml|json)/i.exec(pane.textContent)?.[1] ?? "form"];
    for (const hole of all("var", pane)) {
      if (hole.dataset.name in values) hole.textContent = encode(values[hole.dataset.name]);
    }
    const length = one("var[data-name=Content-Length]", pane);
    const body = pane.textContent.split("\n\n").slice(1).join("\n\n");
    if (length) length.textContent = new TextEncoder().encode(body).length;
  };

  const requestIn = (pane, service) => {
    const [head, ...body] = pane.textContent.split("\n\n");
    const [line, ...fields] = head.trim().split("\n");
    const [method, target] = line.split(" ");
    const headers = fields.map((field) => field.split(/: (.*)/s).slice(0, 2))
      .filter(([name]) => !/^(Host|Content-Length)$/.test(name));
    const [path, query] = target.split("?");
    const operation = path.slice(path.lastIndexOf("/api.asmx") + "/api.asmx".length);
    return {
      url: service + operation + (query === undefined ? "" : "?" + query),
      options: { method, headers, body: method === "GET" ? undefined : body.join("\n\n") },
    };
  };

  // Whatever the fields show: by POST, so that no secret stands in an address.
  const quietRequest = (form) => ({
    url: form.action,
    options: {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(valuesOf(form)),
    },
  });

  const resultIn = (type, text) => {
    if (/json/.test(type)) {
      const value = JSON.parse(text);
      return "d" in value ? { result: value.d } : { message: value.Message };
    }
    if (!/xml/.test(type)) return { message: text.trim() };
    const xml = new DOMParser().parseFromString(text, "text/xml");
    const textOf = (name) => xml.getElementsByTagNameNS("*", name)[0]?.textContent;
    const message = textOf("faultstring") ?? textOf("Text");
    if (message !== undefined) return { message };
    const Html = textOf("Html");
    return Html === undefined
      ? { result: xml.documentElement.textContent === "true" }
      : { result: { ManualSetupCode: textOf("ManualSetupCode"), Html } };
  };

  const call = async ({ url, options }, signal) => {
    const started = performance.now();
    const reply = await fetch(url, { ...options, signal, cache: "no-store", redirect: "error" });
    const text = await reply.text();
    const took = Math.max(1, Math.round(performance.now() - started));
    readClock(reply);
    const type = reply.headers.get("content-type") ?? "";
    const head = "HTTP/1.1 " + reply.status + " " + reply.statusText + "\nContent-Type: " + type;
    return { ...resultIn(type, text), took, shown: head + "\n\n" + text };
  };

  // ---- What a result looks like
  const resultOf = (form) => form.nextElementSibling;

  const pictureIn = (html, form, name) => {
    const svg = one("svg", html);
    if (svg) return { picture: document.importNode(svg, true), uri: one("a", html).href };
    // The server is set to give the original's form, a picture to be fetched.
    const { search, searchParams } = new URL(one("img", html).src);
    const picture = new Image();
    picture.src = new URL("qr.aspx" + search, serviceOf(form));
    picture.alt = "QR code for " + name;
    return { picture, uri: searchParams.get("data") };
  };

  // What went well is seen in the picture and need only be heard.
  const sayOfPairing = (form, message, kind) => {
    const status = one(".status", resultOf(form));
    status.className = "status on-screen " + kind;
    status.textContent = message;
  };

  const emptyTile = one(".tile p");
  const clearPairing = (form, message, kind = "") => {
    one(".setup", resultOf(form)).hidden = true;
    one(".tile", resultOf(form)).replaceChildren(emptyTile);
    page.classList.remove("paired");
    sayOfPairing(form, message, kind);
  };

  const showPairing = (form, { ManualSetupCode, Html }) => {
    const { appName, appInfo } = valuesOf(form);
    const name = appName + " (" + appInfo + ")";
    const html = new DOMParser().parseFromString(Html, "text/html");
    const { picture, uri } = pictureIn(html, form, name);
    const box = resultOf(form);
    one(".tile", box).replaceChildren(picture);
    one(".groups", box).replaceChildren(...ManualSetupCode.match(/.{1,4}/g).map((four) => {
      const group = document.createElement("span");
      group.textContent = four;
      return group;
    }));
    one(".open", box).href = uri;
    one(".for", box).textContent = name;
    one(".setup", box).hidden = false;
    page.classList.add("paired");
    sayOfPairing(form, "QR code for " + name + " is shown.", "unseen");
  };

  const clearAnswer = (form, message = "The answer appears here.", kind = "empty") => {
    const answer = one(".answer", resultOf(form));
    answer.className = "answer " + kind;
    // What is set again would be read out again.
    if (answer.textContent !== message) answer.textContent = message;
  };

  const showAnswer = (form, result) => {
    const word = document.createElement("b");
    word.textContent = String(result);
    clearAnswer(form, "", result ? "" : "bad");
    one(".answer", resultOf(form)).append(word, result
      ? "The pin is right."
      : "The pin is wrong, or its time is over.");
  };

  const views = {
    record: { clear: clearPairing, show: showPairing },
    boolean: { clear: clearAnswer, show: showAnswer },
  };

  // ---- Forms
  const serviceOf = (form) => form.action.slice(0, -1 - form.dataset.operation.length);
  const chosenPanel = () => one("#calls input:checked + label + .panel");

  const running = new Map();
  const run = async (form, request) => {
    running.get(form)?.abort();
    const control = new AbortController();
    running.set(form, control);
    const view = views[form.dataset.result];
    try {
      const answer = await call(request, control.signal);
      if (answer.message === undefined) view.show(form, answer.result);
      else view.clear(form, answer.message, "bad");
      showClocks();
      return answer;
    } catch (error) {
      if (control.signal.aborted) return;
      view.clear(form, "The server gave no answer that can be read.", "bad");
    }
  };

  const submit = async (form) => {
    const panel = chosenPanel();
    if (panel) fillIn(one(".request pre", panel), valuesOf(form));
    const request = panel
      ? requestIn(one(".request pre", panel), serviceOf(form))
      : quietRequest(form);
    const answer = await run(form, request);
    if (!panel || !answer) return;
    one(".reply pre", panel).textContent = answer.shown;
    one(".reply", panel).classList.add("true");
    one(".reply .title", panel).textContent = "Reply, " + answer.took + " ms";
  };

  // Waits for a pause in typing.
  const soon = (act) => {
    let timer;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(act, 200);
    };
  };

  const secretFields = all("input[name=secretCode]");

  const setUp = (form) => {
    const isLive = form.dataset.result === "record";
    const refresh = () => {
      if (form.checkValidity()) return void run(form, quietRequest(form));
      running.get(form)?.abort();
      clearPairing(form, "The QR code appears when all fields are filled in.");
    };
    const refreshSoon = soon(refresh);
    const changed = () => {
      for (const pane of all("#calls .request pre")) fillIn(pane, valuesOf(form));
      for (const title of all(".reply.true .title")) title.textContent = "Reply to the last request";
      if (isLive) refreshSoon();
      else clearAnswer(form);
    };
    form.addEventListener("input", (event) => {
      // On the page that has both forms, the pin to be checked is that of the secret just paired.
      if (isLive && event.target.name === "secretCode") {
        for (const field of secretFields) field.value = event.target.value;
      }
      changed();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      submit(form);
    });
    for (const button of all(".random", form)) {
      button.addEventListener("click", () => {
        const field = one("input[name=secretCode]", form);
        field.value = randomSecret();
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
    if (isLive) one(".random", form)?.click();
  };

  // ---- Buttons
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers have no clipboard for pages that came by plain HTTP; this old way remains.
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const button of all("[data-copy]")) {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      const pane = button.closest("figure");
      await copy((pane ? one("pre", pane) : one("#" + button.dataset.copy)).textContent);
      button.focus();
      button.textContent = "Copied";
      one("#told").textContent = "Copied";
      setTimeout(() => {
        button.textContent = label;
        one("#told").textContent = "";
      }, 2000);
    });
  }
  for (const button of all(".print")) button.addEventListener("click", () => print());
  for (const tab of all("#calls input")) {
    const tell = () => {
      if (!tab.checked) return;
      for (const by of all(".by")) by.textContent = " by " + tab.nextElementSibling.textContent;
    };
    tab.addEventListener("change", tell);
    tell();
  }

  for (const form of all("form")) setUp(form);
  if (one(".clock")) {
    // The smallest document there is; Bun gives no Date to a HEAD.
    fetch("?disco", { cache: "no-store" }).then(readClock).then(showClocks).catch(() => {});
    setInterval(showClocks, 1000);
  }
})();
`;

/** The script as it is served: without indentation and the lines that are comments. */
export const SCRIPT: string = SOURCE.replace(/^ *(?:\/\/.*)?\n|^ +/gm, "").trim();
