import type { ReactNode } from "react";

import { csvOf } from "../text/csv.ts";
import { Button } from "./button.tsx";
import { saveText } from "./save-file.ts";

export interface ExportButtonsProps {
  /** Of the file, without its ending. */
  readonly name: string;
  /** The heads and the rows that are shown, made when somebody asks. */
  readonly rows: () => readonly (readonly string[])[];
  /** The same with everything that is known of it. */
  readonly items: () => unknown;
}

/** What a list shows, as a file. */
export function ExportButtons({ name, rows, items }: ExportButtonsProps): ReactNode {
  return (
    <span className="flex gap-2 text-xs">
      <Button look="link" onClick={() => saveText(`${name}.csv`, csvOf(rows()), "text/csv")}>
        Save as CSV
      </Button>
      <Button
        look="link"
        onClick={() => saveText(`${name}.json`, `${JSON.stringify(items(), null, 2)}\n`, "application/json")}
      >
        Save as JSON
      </Button>
    </span>
  );
}
