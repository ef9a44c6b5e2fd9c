import type { KubeObject } from "@bowline/kube/shapes";

import { editablePart, isSame } from "../../kube/change-patch.ts";
import { markChanged } from "../../kube/hidden-secret.ts";
import { joinChanges } from "../../kube/join-changes.ts";
import { jsonPatch, type Operation } from "../../kube/json-patch.ts";
import { readYaml, yamlText } from "../../kube/yaml-text.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * How far an edit has come.
 * - typing: the text is being changed
 * - review: the cluster has tried the change, and what would come of it is shown
 * - conflict: somebody else was faster
 */
export type Edit = {
  /** The object that the change is made from. */
  readonly base: KubeObject;
  readonly text: string;
  readonly isWritten: boolean;
} & (
  | { readonly step: "typing" }
  | { readonly step: "review"; readonly result: KubeObject; readonly meant: JsonObject }
  | { readonly step: "conflict"; readonly theirs: KubeObject; readonly yours: unknown }
);

export type EditAction =
  | { readonly type: "typed"; readonly text: string }
  | { readonly type: "tried"; readonly result: KubeObject }
  | { readonly type: "written"; readonly result: KubeObject }
  | { readonly type: "conflicted"; readonly theirs: KubeObject }
  | { readonly type: "redo" | "back" }
  | { readonly type: "restart" | "movedOn"; readonly object: KubeObject };

export function editStart(object: KubeObject): Edit {
  return { step: "typing", base: object, text: yamlText(editablePart(object)), isWritten: false };
}

export function editReducer(edit: Edit, action: EditAction): Edit {
  const { base, text, isWritten } = edit;
  if (action.type === "typed") return { step: "typing", base, text: action.text, isWritten: false };
  if (action.type === "tried") return reviewed(edit, action.result);
  if (action.type === "written") return { ...editStart(action.result), isWritten: true };
  if (action.type === "conflicted") return conflict(edit, action.theirs);
  if (action.type === "restart") return editStart(action.object);
  // While nothing is typed there is nothing to lose: the text follows the object.
  if (action.type === "movedOn") return { ...editStart(action.object), isWritten };
  if (action.type === "redo" && edit.step === "conflict") {
    return { step: "typing", base: edit.theirs, text, isWritten };
  }
  return { step: "typing", base, text, isWritten };
}

function reviewed({ base, text, isWritten }: Edit, tried: KubeObject): Edit {
  const isSecret = base.kind === "Secret" && base.apiVersion === "v1";
  const meant = readYaml(text).object ?? editablePart(base);
  const result = isSecret ? markChanged(tried, meant) : tried;
  return { step: "review", base, text, isWritten, result, meant };
}

/** What was changed is put on what is there now, so that it can be looked at and tried again. */
function conflict({ base, text, isWritten }: Edit, theirs: KubeObject): Edit {
  const yours = readYaml(text).object ?? editablePart(base);
  const joined = joinChanges({ base: editablePart(base), yours, theirs: editablePart(theirs) });
  return { step: "conflict", base, text: yamlText(joined), isWritten, theirs, yours };
}

/** What was typed, as the smallest change; nothing while the text is no object, or the same as before. */
export function changeOf({ base, text }: Pick<Edit, "base" | "text">): readonly Operation[] | undefined {
  const { object } = readYaml(text);
  const patch = object === undefined ? [] : jsonPatch(editablePart(base), object);
  return patch.length === 0 ? undefined : patch;
}

/** Whether the object is another one than the edit began with; a new status does not count. */
export function hasMovedOn({ base }: Edit, object: KubeObject): boolean {
  return !isSame(editablePart(base), editablePart(object));
}
