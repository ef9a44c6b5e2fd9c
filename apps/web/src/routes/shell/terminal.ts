import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Terminal, type ITheme } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

import { pageNonce, withStyleNonce } from "../../ui/style-nonce.ts";
import { TrueColourFilter } from "./true-colour.ts";

export interface ShellTerminalOptions {
  readonly element: HTMLElement;
  readonly onInput: (text: string) => void;
  readonly onResize: (columns: number, rows: number) => void;
  /** Called with text of several lines that is about to be pasted. */
  readonly onPaste: (text: string) => void;
  /** The keys that leave the terminal were pressed. */
  readonly onLeave: () => void;
}

const scrollbackLines = 10_000;
/** Titles, icons, links, colours of the theme, the clipboard, and what shells of some makers report: a cluster's text changes nothing but the text. */
const ignoredCommands = [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 110, 111, 112, 133, 633, 777, 1337];

/** No colours, a cursor, no reports of the mouse, no marks around what is pasted: what a program may have left behind. */
const asAtFirst = "\u001B[0m\u001B[?25h\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?2004l";

/** A terminal in the page. What a container writes can draw, and do nothing else. */
export class ShellTerminal {
  readonly #options: ShellTerminalOptions;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();
  readonly #colours = new TrueColourFilter();
  readonly #decoder = new TextDecoder();
  readonly #sizes: ResizeObserver;
  readonly #themes = matchMedia("(prefers-color-scheme: dark)");
  readonly #onTheme = (): void => {
    this.#terminal.options.theme = themeOf(this.#options.element);
  };

  constructor(options: ShellTerminalOptions) {
    this.#options = options;
    const { element, onInput, onResize } = options;
    this.#terminal = withStyleNonce(document, pageNonce(document), () => this.#open(element));
    this.#terminal.onData(onInput);
    this.#terminal.onResize(({ cols, rows }) => onResize(cols, rows));
    element.addEventListener("paste", this.#paste, { capture: true });
    this.#sizes = new ResizeObserver(() => this.#fitSize());
    this.#sizes.observe(element);
    this.#themes.addEventListener("change", this.#onTheme);
    this.#fitSize();
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  write(bytes: Uint8Array): void {
    this.#terminal.write(this.#colours.take(this.#decoder.decode(bytes, { stream: true })));
  }

  /** A line of the page's own between what was and what comes. */
  divide(text: string): void {
    // What was written before is drawn first, so that it is known which of the two screens is shown.
    this.#terminal.write("", () => {
      const leave = this.#terminal.buffer.active.type === "alternate" ? "\u001B[?1049l" : "";
      this.#terminal.write(`${leave}${asAtFirst}\r\n\u001B[2m── ${text} ──\u001B[0m\r\n`);
    });
  }

  paste(text: string): void {
    this.#terminal.paste(text);
  }

  /** Marks the next place above, or below, where a text stands; false where there is none. */
  find(text: string, isBelow: boolean): boolean {
    return isBelow ? this.#search.findNext(text) : this.#search.findPrevious(text);
  }

  focus(): void {
    this.#terminal.focus();
  }

  close(): void {
    this.#options.element.removeEventListener("paste", this.#paste, { capture: true });
    this.#themes.removeEventListener("change", this.#onTheme);
    this.#sizes.disconnect();
    this.#terminal.dispose();
  }

  #open(element: HTMLElement): Terminal {
    const terminal = new Terminal({
      allowProposedApi: false,
      cursorBlink: false,
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 13,
      // Anything else is drawn by attributes that the policy of the page forbids.
      minimumContrastRatio: 1,
      scrollback: scrollbackLines,
      screenReaderMode: true,
      theme: themeOf(element),
      windowOptions: {},
      linkHandler: null,
    });
    for (const command of ignoredCommands) terminal.parser.registerOscHandler(command, () => true);
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.type !== "keydown" || event.key !== "Escape" || !event.ctrlKey || !event.altKey) return true;
      event.preventDefault();
      this.#options.onLeave();
      return false;
    });
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(this.#search);
    terminal.open(element);
    return terminal;
  }

  /** Several lines would be run one after the other as soon as they are pasted: that is asked about. */
  readonly #paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[\r\n]/u.test(text.trimEnd())) return;
    event.preventDefault();
    event.stopPropagation();
    this.#options.onPaste(text);
  };

  #fitSize(): void {
    const { element } = this.#options;
    // In a part of the page that is not shown there is no size to fit.
    if (element.clientWidth > 0 && element.clientHeight > 0) this.#fit.fit();
  }
}

/** Colours as the page has them now. */
function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const isDark = style.colorScheme.includes("dark");
  return {
    background: colour("--bg"),
    foreground: colour("--text"),
    cursor: colour("--accent"),
    cursorAccent: colour("--bg"),
    selectionBackground: isDark ? "#3b4a6b" : "#bcd0f5",
    ...(isDark ? darkColours : lightColours),
  };
}

const lightColours: ITheme = {
  black: "#171a21",
  red: "#b42318",
  green: "#1a7431",
  yellow: "#855c00",
  blue: "#1f5fd0",
  magenta: "#8a3fb0",
  cyan: "#0b6e78",
  white: "#545c6b",
  brightBlack: "#646c7b",
  brightRed: "#c42b23",
  brightGreen: "#0a7540",
  brightYellow: "#8a5a00",
  brightBlue: "#0b5cad",
  brightMagenta: "#a02c9c",
  brightCyan: "#04706f",
  brightWhite: "#171a21",
};

const darkColours: ITheme = {
  black: "#8a94a4",
  red: "#f4685f",
  green: "#6fd08c",
  yellow: "#e3b341",
  blue: "#7aa7ff",
  magenta: "#c58bff",
  cyan: "#63d4d4",
  white: "#c9d1dc",
  brightBlack: "#8a94a4",
  brightRed: "#ff8f87",
  brightGreen: "#7fe0bd",
  brightYellow: "#f0c050",
  brightBlue: "#9cc0ff",
  brightMagenta: "#e0a5ff",
  brightCyan: "#8ae6e6",
  brightWhite: "#ffffff",
};
