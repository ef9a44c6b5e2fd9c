import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { pageNonce } from "../style-nonce.ts";

/** By the names of the page's own colours, so that light and dark need nothing of their own. */
const look = EditorView.theme({
  "&": { backgroundColor: "var(--bg)", color: "var(--text)", fontSize: "12.5px", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--faint)",
    borderRight: "1px solid var(--border)",
  },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--missing) 30%, transparent)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--surface)",
    border: "1px solid var(--border)",
    color: "var(--muted)",
    padding: "0 4px",
  },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)", borderColor: "var(--border)" },
  ".cm-textfield, .cm-button": {
    backgroundColor: "var(--bg)",
    backgroundImage: "none",
    border: "1px solid var(--control)",
    color: "var(--text)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--border)",
    color: "var(--text)",
  },
  ".cm-specialChar": { color: "var(--degraded)" },
  ".cm-note": { color: "var(--missing)", paddingLeft: "2ch", fontStyle: "italic" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--accent) 25%, transparent)" },
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine": {
    background: "color-mix(in srgb, var(--healthy) 14%, transparent)",
  },
  "&.cm-merge-b .cm-changedLine.cm-tinted, .cm-insertedLine.cm-tinted, .cm-tinted": {
    background: "color-mix(in srgb, var(--unknown) 20%, transparent)",
  },
  ".cm-deletedChunk": { background: "color-mix(in srgb, var(--degraded) 12%, transparent)" },
  ".cm-deletedText, .cm-deletedLine del": {
    background: "color-mix(in srgb, var(--degraded) 22%, transparent)",
    textDecoration: "none",
  },
  ".cm-changeGutter": { width: "3px", paddingLeft: "1px" },
  ".cm-changedLineGutter": { background: "var(--healthy)" },
  ".cm-deletedLineGutter": { background: "var(--degraded)" },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"' },
  ".cm-collapsedLines": { background: "var(--surface)", color: "var(--muted)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--progressing)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--healthy)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--unknown)" },
  { tag: [tags.comment, tags.meta], color: "var(--faint)" },
]);

/** Marks that reorder or hide text: what cannot be seen is shown as a dot that says what it is. */
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** What every piece of YAML on the page has in common. */
export function yamlLook(label: string): Extension[] {
  return [
    // Without it no browser would take the styles that the editor makes.
    EditorView.cspNonce.of(pageNonce(document)),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    look,
    lineNumbers(),
    codeFolding(),
    foldGutter(),
    drawSelection(),
    highlightSpecialChars({ addSpecialChars: hidden }),
    yaml(),
    syntaxHighlighting(colours),
    search({ top: true }),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
  ];
}

/** For what is only to be read; it can have the focus, so that keys scroll and select. */
export const readOnly: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(true)];

/** For what is to be written. */
export const writable: Extension = [history(), keymap.of(historyKeymap), EditorState.tabSize.of(2)];
