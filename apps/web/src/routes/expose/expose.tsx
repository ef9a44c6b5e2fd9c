import type { Gateway } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { Failed } from "../../ui/states.tsx";
import { formProblems } from "../../ui/form-problems.ts";
import { useFirstProblem } from "../../ui/use-first-problem.ts";
import { exposeForm, exposePaths, gatewayBody, type ExposeForm, type TlsMode } from "./expose-form.ts";

interface ExposeProps {
  readonly instance: string;
  readonly onClose: () => void;
}

/** Gives a workload host names, and then shows how far they are. */
export function Expose({ instance, onClose }: ExposeProps): ReactNode {
  const [form, setForm] = useState(() => exposeForm(instance));
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () =>
      request<Gateway>("/api/v1/gateways", { method: "POST", body: gatewayBody(instance, form) }),
  });
  // Only while the dialog is open: whoever has closed it and gone elsewhere is not taken away from there.
  const open = ({ metadata: { name } }: Gateway): void =>
    void navigate({ to: "/gateways/$name", params: { name } });
  const fields = useFirstProblem(create.error);
  const { at, failure } = formProblems(failureIn(create.error), exposePaths);
  const shared = {
    form,
    problems: at,
    onChange: (changed: Partial<ExposeForm>): void => {
      setForm((before) => ({ ...before, ...changed }));
      create.reset();
    },
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!create.isPending) create.mutate(undefined, { onSuccess: open });
  };
  return (
    <Dialog title={`Expose ${cleanText(instance, 63)}`} onClose={onClose}>
      <form ref={fields} className="space-y-3" onSubmit={submit}>
        {/* What is being made is what was typed when it was sent. */}
        <div inert={create.isPending} className="space-y-3 inert:opacity-60">
          <ExposeText
            {...shared}
            name="hosts"
            label="Host names"
            help="Such as shop.example.com or *.example.com; with commas between several."
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <ExposeText {...shared} name="service" label="Service" help="In the namespace of the workload." />
            <ExposeText {...shared} name="port" label="Port" help="Of the Service." />
            <ExposeText {...shared} name="path" label="Path" help="The beginning of the paths it answers." />
            <TlsChoice {...shared} />
          </div>
          <ExposeText
            {...shared}
            name="name"
            label="Name of the gateway"
            help="Lower-case letters, digits and -."
          />
        </div>
        {at.size > 0 && (
          <p role="alert" className="text-degraded">
            {at.size === 1 ? "A field is not right yet." : `${at.size} fields are not right yet.`}
          </p>
        )}
        {failure !== undefined && <Failed failure={failure} />}
        <p className="text-muted">
          More rules, certificates of your own, other classes and clusters are in its YAML afterwards.
        </p>
        <div className="flex gap-2">
          <Button submits look="main" disabled={create.isPending}>
            Expose it
          </Button>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly form: ExposeForm;
  readonly problems: ReadonlyMap<keyof ExposeForm, string>;
  readonly onChange: (changed: Partial<ExposeForm>) => void;
}

interface ExposeTextProps extends FieldProps {
  readonly name: Exclude<keyof ExposeForm, "tls">;
  readonly label: string;
  readonly help: string;
}

function ExposeText({ form, problems, onChange, name, label, help }: ExposeTextProps): ReactNode {
  return (
    <FormField label={label} help={help} problem={problems.get(name)}>
      {(ids) => (
        <input
          {...ids}
          required
          autoComplete="off"
          spellCheck={false}
          className={`${fieldClass} font-mono`}
          value={form[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </FormField>
  );
}

const modes: Readonly<Record<TlsMode, string>> = {
  terminate: "at the entry (terminate)",
  passthrough: "by the service itself (passthrough)",
  none: "nowhere: without encryption (none)",
};

function TlsChoice({ form, problems, onChange }: FieldProps): ReactNode {
  return (
    <FormField
      label="Decrypted"
      help="Where TLS ends; at the entry takes a certificate."
      problem={problems.get("tls")}
    >
      {(ids) => (
        <select
          {...ids}
          className={fieldClass}
          value={form.tls}
          onChange={({ target: { value } }) =>
            onChange({ tls: value === "passthrough" || value === "none" ? value : "terminate" })
          }
        >
          {Object.entries(modes).map(([mode, words]) => (
            <option key={mode} value={mode}>
              {words}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
