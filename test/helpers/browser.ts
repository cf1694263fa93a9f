/**
 * A real browser without a window, told over a pipe by its DevTools protocol: opens pages from files and tells all that
 * they did but show text. Its path is on the PATH, or in `SLIPWAY_BROWSER`; tests without one are skipped and named.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { isJson, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { tempFolder } from "./temp.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** The path of a browser, or undefined. */
export const browserPath: string | undefined = [
  ...(process.env["SLIPWAY_BROWSER"] === undefined ? [] : [process.env["SLIPWAY_BROWSER"]]),
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name))),
].find((path) => existsSync(path));

/** What a page turned out to be. */
export interface Opened {
  /** What it did that a page of text does not: scripts that ran, requests, dialogs, errors, places that it went to. */
  readonly acts: readonly string[];
  /** Every element as the browser sees it: its name, then the names of its attributes. */
  readonly shape: readonly string[];
  /** Values of attributes that lead somewhere. */
  readonly links: readonly string[];
  /** Its text, that of its title included. */
  readonly text: string;
}

/** Stands in every page before anything of its own runs: what a hostile text would call tells itself. */
const WATCH = `
  for (const name of ["alert", "confirm", "prompt", "print", "open", "fetch", "eval", "Function", "Worker", "WebSocket"])
    globalThis[name] = (...given) => told(name + " " + given.join(" "));
  for (const event of ["error", "unhandledrejection", "submit"])
    globalThis.addEventListener(event, (each) => each.isTrusted && told(event + " " + (each.message ?? each.target)), true);
`;

/** Moves what a person could move: whatever an attribute would do at a click or at a look, it does. */
const STIR = `(() => {
  const all = [...document.querySelectorAll("*")];
  for (const each of all)
    for (const name of ["click", "mouseover", "mouseenter", "focus", "load", "error", "begin", "toggle", "animationend", "wheel", "keydown"])
      each.dispatchEvent(new Event(name, { bubbles: false, cancelable: true }));
  return JSON.stringify({
    shape: all.map((each) => [each.localName, ...each.getAttributeNames()].join(" ")),
    links: all.flatMap((each) => ["href", "xlink:href", "src", "srcset", "action", "data", "formaction", "style"]
      .map((name) => each.getAttribute(name)).filter((value) => value !== null)),
    text: document.title + "\\n" + document.body.textContent,
  });
})()`;

const TURN = "new Promise((resolve) => setTimeout(resolve, 100))";

const NOTHING: Opened = { acts: [], shape: [], links: [], text: "" };

function readAnswer(text: string): Opened {
  const value: unknown = JSON.parse(text);
  if (!isJson(value) || !isObject(value)) throw new Error("the page gave no answer");
  return {
    acts: [],
    shape: textsOf(value["shape"]),
    links: textsOf(value["links"]),
    text: textOf(value, "text"),
  };
}

type Listener = (method: string, params: JsonObject, session: string) => void;

export class Browser {
  private next = 1;
  private rest = "";
  private readonly waiting = new Map<number, (answer: JsonObject) => void>();
  private listener: Listener = () => undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly input: Writable,
    output: Readable,
  ) {
    output.setEncoding("utf8");
    output.on("data", (part: string) => this.read(part));
  }

  static start(path: string): Browser {
    const child = spawn(
      path,
      [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"],
        `--user-data-dir=${tempFolder()}`,
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    const [, , , input, output] = child.stdio;
    if (input === null || input === undefined || !("write" in input) || !output || !("read" in output))
      throw new Error("the browser has no pipes");
    return new Browser(child, input, output);
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    await this.ask("Browser.close");
    await gone;
  }

  /** Opens the page of a file in a place of its own, and stirs it; the page's own policy is passed over, as it would hide what is wrong. */
  async open(file: string): Promise<Opened> {
    const url = pathToFileURL(file).href;
    const target = textOf(await this.ask("Target.createTarget", { url: "about:blank" }), "targetId");
    const session = textOf(
      await this.ask("Target.attachToTarget", { targetId: target, flatten: true }),
      "sessionId",
    );
    const acts: string[] = [];
    const loaded = new Promise<void>((resolve) => {
      this.listener = (method, params, from) => {
        if (from !== session) return;
        if (method === "Page.loadEventFired") resolve();
        const act = actOf(method, params, url);
        if (act !== undefined) acts.push(act);
      };
    });
    const tell = (method: string, params: JsonObject = {}): Promise<JsonObject> =>
      this.ask(method, params, session);
    for (const domain of ["Page", "Network", "Runtime", "Log"]) await tell(`${domain}.enable`);
    await tell("Page.setBypassCSP", { enabled: true });
    await tell("Runtime.addBinding", { name: "told" });
    await tell("Page.addScriptToEvaluateOnNewDocument", { source: WATCH });
    await tell("Page.navigate", { url });
    await loaded;
    const found = await tell("Runtime.evaluate", { expression: STIR, returnByValue: true })
      .then(({ result }) => readAnswer(isObject(result) ? textOf(result, "value") : ""))
      .catch((error: unknown) => ({ ...NOTHING, acts: [`went away: ${String(error)}`] }));
    // What was stirred up gets a turn to happen.
    await tell("Runtime.evaluate", { expression: TURN, awaitPromise: true }).catch(() => undefined);
    this.listener = () => undefined;
    await this.ask("Target.closeTarget", { targetId: target });
    return { ...found, acts: [...acts, ...found.acts] };
  }

  private ask(method: string, params: JsonObject = {}, sessionId?: string): Promise<JsonObject> {
    const id = this.next++;
    this.input.write(
      `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
    );
    return new Promise((resolve, reject) =>
      this.waiting.set(id, (answer) => {
        const { result } = answer;
        if (isObject(result)) resolve(result);
        else reject(new Error(`${method}: ${JSON.stringify(answer)}`));
      }),
    );
  }

  private read(part: string): void {
    const messages = `${this.rest}${part}`.split("\0");
    this.rest = messages.pop() ?? "";
    for (const text of messages) {
      const message: unknown = JSON.parse(text);
      if (!isJson(message) || !isObject(message)) continue;
      const { id, method, params, sessionId } = message;
      if (typeof id === "number") {
        this.waiting.get(id)?.(message);
        this.waiting.delete(id);
      } else if (typeof method === "string")
        this.listener(method, isObject(params) ? params : {}, typeof sessionId === "string" ? sessionId : "");
    }
  }
}

/** What an event says that a page did, undefined where it is nothing but its own showing. */
function actOf(method: string, params: JsonObject, own: string): string | undefined {
  switch (method) {
    case "Runtime.bindingCalled":
      return `ran ${String(params["payload"])}`;
    case "Network.requestWillBeSent":
      return params["documentURL"] === own && isObject(params["request"]) && params["request"]["url"] === own
        ? undefined
        : `asked for ${JSON.stringify(params["request"])}`;
    case "Page.frameNavigated":
      return isObject(params["frame"]) && params["frame"]["url"] === own
        ? undefined
        : `went to ${JSON.stringify(params["frame"])}`;
    case "Page.frameAttached":
    case "Page.windowOpen":
    case "Page.downloadWillBegin":
    case "Page.javascriptDialogOpening":
    case "Runtime.consoleAPICalled":
    case "Runtime.exceptionThrown":
    case "Log.entryAdded":
      return `${method} ${JSON.stringify(params)}`;
    default:
      return undefined;
  }
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== "string") throw new Error(`no ${name} in ${JSON.stringify(object)}`);
  return value;
}

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
