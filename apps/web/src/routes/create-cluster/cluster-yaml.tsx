import { useMemo, useState, type ReactNode } from "react";

import { readYaml, yamlText } from "../../kube/yaml-text.ts";
import { CodeView } from "../../ui/code/code-view.tsx";

interface ClusterYamlProps {
  readonly start: object | undefined;
  /** What the text says; undefined while it cannot be read. */
  readonly onChange: (body: object | undefined) => void;
}

/** A Cluster as text, with everything that the fields of the form do not have. */
export function ClusterYaml({ start, onChange }: ClusterYamlProps): ReactNode {
  const [text, setText] = useState(() => yamlText(start));
  const isRead = useMemo(() => readYaml(text).object !== undefined, [text]);
  return (
    <>
      <div className="h-72 overflow-hidden rounded-sm border border-control">
        <CodeView
          label="The cluster as YAML"
          text={text}
          onChange={(typed) => {
            setText(typed);
            onChange(readYaml(typed).object);
          }}
          problemsOf={(typed) => readYaml(typed).problems}
        />
      </div>
      <p role="status" className="text-degraded">
        {isRead ? "" : "This is no YAML yet."}
      </p>
    </>
  );
}
