export interface LineEditorListener {
  /** Shows what is typed, and what becomes of it. */
  echo(text: string): void;
  line(text: string): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Ctrl-D on an empty line. */
  end(): void;
  /** The screen was cleared: what stood before the cursor has to be shown again. */
  cleared(): void;
}

// oxlint-disable-next-line no-control-regex -- keys that are no characters begin with Escape
const keyPattern = /\u001B\[[\d;]*[A-Za-z~]|\u001BO[A-Z]|\u001B.?|[\s\S]/gu;
const keptLines = 100;

/** A terminal's line: characters come back as they are typed, and some keys change the line. */
export class LineEditor {
  readonly #listener: LineEditorListener;
  readonly #history: string[] = [];
  #line = "";
  #at = 0;

  constructor(listener: LineEditorListener) {
    this.#listener = listener;
  }

  type(text: string): void {
    for (const [key] of text.matchAll(keyPattern)) this.#press(key);
  }

  #press(key: string): void {
    switch (key) {
      case "\r":
      case "\n":
        this.#enter();
        break;
      case "\u007F":
      case "\b":
        this.#replace(this.#line.slice(0, -1));
        break;
      case "\u0003":
        this.#listener.echo("^C\n");
        this.#line = "";
        this.#listener.interrupt();
        break;
      case "\u0004":
        if (this.#line === "") this.#listener.end();
        break;
      case "\f":
        this.#listener.echo("\u001B[H\u001B[2J");
        this.#listener.cleared();
        this.#listener.echo(this.#line);
        break;
      case "\u0015":
        this.#replace("");
        break;
      case "\u0017":
        this.#replace(this.#line.replace(/\S*\s*$/u, ""));
        break;
      case "\u001B[A":
        this.#recall(-1);
        break;
      case "\u001B[B":
        this.#recall(1);
        break;
      default:
        if (key >= " ") this.#add(key);
    }
  }

  #add(key: string): void {
    this.#line += key;
    this.#listener.echo(key);
  }

  #enter(): void {
    const line = this.#line;
    this.#line = "";
    if (line.trim() !== "") this.#history.push(line);
    if (this.#history.length > keptLines) this.#history.shift();
    this.#at = this.#history.length;
    this.#listener.echo("\n");
    this.#listener.line(line);
  }

  #recall(step: number): void {
    this.#at = Math.max(0, Math.min(this.#history.length, this.#at + step));
    this.#replace(this.#history[this.#at] ?? "");
  }

  #replace(line: string): void {
    const kept = line !== "" && this.#line.startsWith(line) ? line.length : 0;
    this.#listener.echo("\b \b".repeat(this.#line.length - kept) + line.slice(kept));
    this.#line = line;
  }
}
