import { useId, type ReactNode } from "react";

export interface FormFieldProps {
  readonly label: string;
  /** Below the field, and read with it. */
  readonly help?: string | undefined;
  readonly problem?: string | undefined;
  /** The field, with what ties it to its label. */
  readonly children: (ids: FieldIds) => ReactNode;
}

interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
}

/** The look of every field in a form. */
export const fieldClass = "w-full rounded-sm border border-control bg-bg px-2 py-1";

/** A field with its label, what it is for, and what is wrong with it. */
export function FormField({ label, help, problem, children }: FormFieldProps): ReactNode {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-0.5 block font-semibold">
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-help`, "aria-invalid": problem !== undefined })}
      <p id={`${id}-help`} className="mt-0.5 text-xs text-muted">
        {problem !== undefined && <span className="text-degraded">{problem} </span>}
        {help}
      </p>
    </div>
  );
}
