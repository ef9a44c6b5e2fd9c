import type { ReactNode } from "react";

import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { LabelChips } from "../../ui/label-chips.tsx";
import { readLabel } from "../join/join-input.ts";
import { makers, type Maker } from "./cluster-form.ts";
import { ClusterText, type ClusterFieldsProps } from "./cluster-text.tsx";
import { ProviderFields } from "./provider-fields.tsx";

/** The fields of every cluster that is made, and those of the provider that was chosen. */
export function ClusterFields(props: ClusterFieldsProps): ReactNode {
  const { form, problems, onChange } = props;
  return (
    <>
      <FormField
        label="Made by"
        problem={problems.get("provider")}
        help="The server says so if it does not have it."
      >
        {(ids) => (
          <select
            {...ids}
            value={form.provider}
            className={fieldClass}
            onChange={({ target }) => onChange({ provider: makerNamed(target.value) })}
          >
            {Object.entries(makers).map(([maker, words]) => (
              <option key={maker} value={maker}>
                {words}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <ClusterText
        {...props}
        name="name"
        label="Name"
        help="Short, and as you would say it: dev-eu-1."
        isRequired
      />
      <ProviderFields {...props} />
      <LabelChips labels={form.labels} read={readLabel} onChange={(labels) => onChange({ labels })} />
      <div className="grid gap-3 sm:grid-cols-2">
        <ClusterText
          {...props}
          name="endsAt"
          label="Not needed after"
          help="In your own time; empty for never."
          type="datetime-local"
        />
        <ClusterText
          {...props}
          name="maxNodes"
          label="Most machines"
          help="All groups together; empty for no limit."
          type="number"
        />
      </div>
      <Tick
        label="Delete it by itself when that time has come"
        problem={problems.get("autoDelete")}
        isTicked={form.autoDelete}
        onChange={(autoDelete) => onChange({ autoDelete })}
      />
      <Tick
        label="Protect it: nobody deletes it before this is taken back"
        isTicked={form.protect}
        onChange={(protect) => onChange({ protect })}
      />
    </>
  );
}

interface TickProps {
  readonly label: string;
  readonly problem?: string | undefined;
  readonly isTicked: boolean;
  readonly onChange: (isTicked: boolean) => void;
}

function Tick({ label, problem, isTicked, onChange }: TickProps): ReactNode {
  return (
    <div>
      <label className="flex min-h-6 items-center gap-1.5">
        <input type="checkbox" checked={isTicked} onChange={({ target }) => onChange(target.checked)} />
        {label}
      </label>
      {problem !== undefined && <p className="text-xs text-degraded">{problem}</p>}
    </div>
  );
}

function makerNamed(name: string): Maker {
  return name === "exec" || name === "eks" || name === "clusterapi" ? name : "kind";
}
