import { kubectlCommand, type KindPlace } from "../../kube/places.ts";
import type { TableRow } from "../../kube/tables.ts";
import type { KeyAction } from "../../ui/keys.ts";

export interface RowActionsOptions {
  readonly place: KindPlace;
  /** The row that has the focus. */
  readonly selected: TableRow | undefined;
  readonly open: (row: TableRow, tab: string) => void;
}

const tabKeys = [
  { keys: "d", tab: "overview", does: "Describe the selected object" },
  { keys: "y", tab: "yaml", does: "Its YAML" },
  { keys: "e", tab: "edit", does: "Edit it" },
  { keys: "l", tab: "logs", does: "Its logs" },
  { keys: "s", tab: "shell", does: "A shell in it" },
] as const;

/** What keys do with the selected row of a list of objects. */
export function rowActions({ place, selected, open }: RowActionsOptions): KeyAction[] {
  const copy = (textOf: (row: TableRow) => string) => () => {
    if (selected !== undefined) void navigator.clipboard.writeText(textOf(selected));
  };
  return [
    ...tabKeys.map(({ keys, tab, does }) => ({
      keys,
      does,
      run: () => {
        if (selected !== undefined) open(selected, tab);
      },
    })),
    { keys: "c", does: "Copy its name", run: copy(({ metadata }) => metadata.name) },
    {
      keys: "C",
      does: "Copy the kubectl command for it",
      run: copy(({ metadata }) =>
        kubectlCommand({ ...place, namespace: metadata.namespace, name: metadata.name }),
      ),
    },
  ];
}
