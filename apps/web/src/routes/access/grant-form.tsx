import type { ReactNode } from "react";

import { fieldClass, FormField } from "../../ui/form-field.tsx";
import type { GrantDraft } from "./grant-draft.ts";

export interface GrantFormProps {
  readonly draft: GrantDraft;
  readonly isNew: boolean;
  readonly problem: { readonly field: keyof GrantDraft; readonly problem: string } | undefined;
  readonly onChange: (change: Partial<GrantDraft>) => void;
}

interface TextProps extends Omit<GrantFormProps, "isNew"> {
  readonly field: Exclude<keyof GrantDraft, "by">;
  readonly label: string;
  readonly help?: string;
  readonly type?: "text" | "datetime-local" | "lines";
  readonly isRequired?: boolean;
}

function TextOf({
  draft,
  problem,
  onChange,
  field,
  label,
  help,
  type = "text",
  isRequired,
}: TextProps): ReactNode {
  const own = problem?.field === field ? problem.problem : undefined;
  const change = ({ target }: { target: { value: string } }): void => onChange({ [field]: target.value });
  return (
    <FormField label={label} help={help} problem={own}>
      {(ids) =>
        type === "lines" ? (
          <textarea
            {...ids}
            rows={2}
            className={`${fieldClass} font-mono`}
            value={draft[field]}
            onChange={change}
          />
        ) : (
          <input
            {...ids}
            type={type}
            required={isRequired === true}
            autoComplete="off"
            spellCheck={false}
            className={`${fieldClass} font-mono`}
            value={draft[field]}
            onChange={change}
          />
        )
      }
    </FormField>
  );
}

/** The fields of a grant. */
export function GrantForm(props: GrantFormProps): ReactNode {
  const { draft, isNew, onChange } = props;
  return (
    <>
      {isNew && (
        <TextOf {...props} field="name" label="Name" help="Lower-case letters, digits and -." isRequired />
      )}
      <TextOf {...props} field="users" label="Users" help="Names with commas between." />
      <TextOf
        {...props}
        field="groups"
        label="Groups"
        help="One in each line, as Users or the issuer have them."
        type="lines"
      />
      <fieldset>
        <legend className="mb-0.5 font-semibold">Clusters</legend>
        {(["labels", "names"] as const).map((by) => (
          <label key={by} className="mr-4 inline-flex min-h-6 items-center gap-1.5">
            <input type="radio" name="by" checked={draft.by === by} onChange={() => onChange({ by })} />
            by {by}
          </label>
        ))}
      </fieldset>
      {draft.by === "labels" ? (
        <TextOf
          {...props}
          field="labels"
          label="Labels of clusters"
          help="As kubectl -l has them: env=prod,tier in (a,b). Empty for every cluster, those of later too."
        />
      ) : (
        <TextOf {...props} field="clusters" label="Names of clusters" help="With commas between." />
      )}
      <TextOf
        {...props}
        field="asUser"
        label="As the Kubernetes user"
        help="Empty for everybody's own name."
      />
      <TextOf
        {...props}
        field="asGroups"
        label="In the Kubernetes groups"
        help="One in each line. What they may do, RBAC in the cluster says."
        type="lines"
      />
      <TextOf {...props} field="namespaces" label="Namespaces" help="With commas between; empty for all." />
      <TextOf
        {...props}
        field="endsAt"
        label="Ends"
        help="In your own time; empty for never."
        type="datetime-local"
      />
    </>
  );
}
