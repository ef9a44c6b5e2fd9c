import { foldEffect } from "@codemirror/language";
import { linter, lintGutter, type Diagnostic } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef, type ReactNode } from "react";

import { readOnly, writable, yamlLook } from "./code-look.ts";
import { changeBetween, foldRange } from "./text-change.ts";

/** Something wrong with a text, and where. */
interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export interface CodeViewProps {
  readonly label: string;
  readonly text: string;
  /** Missing for what is only to be read. */
  readonly onChange?: (text: string) => void;
  /** Ctrl-S and Ctrl-Enter. */
  readonly onSubmit?: () => void;
  readonly problemsOf?: (text: string) => readonly TextProblem[];
  /** Fields that are folded away at first, as they begin their lines: `status:`. */
  readonly folded?: readonly string[];
}

/** On changes that nobody typed. */
const fromOutside = Annotation.define<boolean>();

/** YAML to read or to write. A text that changes from outside is changed in place: folds and scrolling stay. */
export function CodeView(props: CodeViewProps): ReactNode {
  const { label, text } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const { onChange, problemsOf, folded = [] } = latest.current;
    const submit = (): boolean => {
      latest.current.onSubmit?.();
      return latest.current.onSubmit !== undefined;
    };
    const editor = new EditorView({
      ...(parent.current === null ? {} : { parent: parent.current }),
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          keymap.of(["Mod-s", "Mod-Enter"].map((key) => ({ key, run: submit }))),
          yamlLook(label),
          onChange === undefined ? readOnly : writable,
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const isOurs = transactions.some((transaction) => transaction.annotation(fromOutside) === true);
            if (docChanged && !isOurs) latest.current.onChange?.(state.doc.toString());
          }),
          problemsOf === undefined ? [] : [lintGutter(), linter((from) => diagnostics(latest.current, from))],
        ],
      }),
    });
    fold(editor, folded);
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useEffect(() => {
    const change = view.current === null ? undefined : changeBetween(view.current.state.doc.toString(), text);
    if (change !== undefined) view.current?.dispatch({ changes: change, annotations: fromOutside.of(true) });
  }, [text]);
  return <div ref={parent} className="h-full min-h-0 overflow-hidden" />;
}

function diagnostics({ problemsOf }: CodeViewProps, { state }: EditorView): Diagnostic[] {
  const end = state.doc.length;
  return (problemsOf?.(state.doc.toString()) ?? []).map(({ from, to, message }) => ({
    from: Math.min(from, end),
    to: Math.min(Math.max(from, to), end),
    message,
    severity: "error",
  }));
}

function fold(editor: EditorView, fields: readonly string[]): void {
  const text = editor.state.doc.toString();
  const ranges = fields.flatMap((field) => foldRange(text, field) ?? []);
  // The editor takes them in the order of the text alone.
  const effects = ranges.toSorted((a, b) => a.from - b.from).map((range) => foldEffect.of(range));
  if (effects.length > 0) editor.dispatch({ effects });
}
