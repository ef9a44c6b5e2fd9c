import type { ReactNode } from "react";

import { fieldClass, FormField } from "../../ui/form-field.tsx";
import type { ClusterForm } from "./cluster-form.ts";

export interface ClusterFieldsProps {
  readonly form: ClusterForm;
  readonly problems: ReadonlyMap<keyof ClusterForm, string>;
  /** The names of clusters that are there, for those that one is made in. */
  readonly clusters: readonly string[];
  readonly onChange: (changed: Partial<ClusterForm>) => void;
}

/** The fields whose values are typed as text. */
type TextName = {
  [Name in keyof ClusterForm]: string extends ClusterForm[Name] ? Name : never;
}[keyof ClusterForm];

interface TextProps extends Pick<ClusterFieldsProps, "form" | "problems" | "onChange"> {
  readonly name: TextName;
  readonly label: string;
  readonly help: string;
  readonly type?: "text" | "lines" | "number" | "datetime-local";
  readonly isRequired?: boolean;
}

/** A field of the form that is typed. */
export function ClusterText({ form, problems, onChange, name, label, help, ...looks }: TextProps): ReactNode {
  const { type = "text", isRequired = false } = looks;
  const change = ({ target }: { target: { value: string } }): void => onChange({ [name]: target.value });
  const shared = { value: form[name], spellCheck: false, autoComplete: "off", onChange: change };
  return (
    <FormField label={label} help={help} problem={problems.get(name)}>
      {(ids) =>
        type === "lines" ? (
          <textarea {...ids} {...shared} rows={2} className={`${fieldClass} font-mono`} />
        ) : (
          <input
            {...ids}
            {...shared}
            type={type === "number" ? "text" : type}
            inputMode={type === "number" ? "numeric" : undefined}
            required={isRequired}
            className={`${fieldClass} font-mono`}
          />
        )
      }
    </FormField>
  );
}
