import { useId, type ReactNode } from "react";

interface LabelledFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  /** More than one line. */
  readonly rows?: number;
  readonly onChange: (value: string) => void;
}

/** A field of a form for names and manifests: nothing is corrected in it. */
export function LabelledField({ label, hint, value, rows, onChange }: LabelledFieldProps): ReactNode {
  const id = useId();
  const shared = {
    id,
    value,
    spellCheck: false,
    autoComplete: "off",
    className: "w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono",
  };
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold">
        {label} {hint !== undefined && <span className="font-normal text-muted">· {hint}</span>}
      </label>
      {rows === undefined ? (
        <input {...shared} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
    </div>
  );
}
