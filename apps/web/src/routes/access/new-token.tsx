import { narrowerRole, roles, Token, type Whoami } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";

import { createObject } from "../../live/objects.ts";
import { failureIn } from "../../live/request.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { Failed } from "../../ui/states.tsx";

const dayMs = 24 * 3_600_000;

/** Makes a token and shows it once. It is nowhere but in this dialog, and gone with it. */
export function NewToken({
  me,
  user,
  onClose,
}: {
  me: Whoami;
  user: string;
  onClose: () => void;
}): ReactNode {
  const [secret, setSecret] = useState<string>();
  const making = useMutation({
    mutationFn: (form: FormData) => createObject(Token, draftIn(form)),
    onSuccess: ({ status }) => setSecret(secretIn(status)),
    // The answer has the secret: nothing keeps it but the state above.
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    making.mutate(new FormData(event.currentTarget));
  };
  const failure = failureIn(making.error);
  return (
    <Dialog title="Make a token" onClose={onClose}>
      {secret === undefined ? (
        <form className="space-y-3" onSubmit={submit}>
          <FormField label="Name" help="Lower-case letters, digits and -.">
            {(ids) => (
              <input
                {...ids}
                name="name"
                required
                maxLength={63}
                pattern="[a-z0-9]([\-a-z0-9]*[a-z0-9])?"
                className={fieldClass}
              />
            )}
          </FormField>
          <FormField
            label="User"
            help={me.role === "admin" ? "Whose token it is." : "Only admins make tokens for others."}
          >
            {(ids) => (
              <input
                {...ids}
                name="user"
                required
                defaultValue={user}
                readOnly={me.role !== "admin"}
                className={fieldClass}
              />
            )}
          </FormField>
          <FormField label="What it is for">
            {(ids) => <input {...ids} name="description" maxLength={1024} className={fieldClass} />}
          </FormField>
          <div className="grid gap-3 sm:grid-cols-2">
            <FormField label="Role" help="The most it may do, where that is less than its user may.">
              {(ids) => (
                <select {...ids} name="role" className={fieldClass} defaultValue="">
                  <option value="">that of its user</option>
                  {roles
                    .filter((role) => narrowerRole(role, me.role) === role)
                    .map((role) => (
                      <option key={role}>{role}</option>
                    ))}
                </select>
              )}
            </FormField>
            <FormField label="Ends after">
              {(ids) => (
                <select {...ids} name="days" className={fieldClass} defaultValue="90">
                  {["1", "7", "30", "90", "365"].map((days) => (
                    <option key={days} value={days}>
                      {days === "1" ? "1 day" : `${days} days`}
                    </option>
                  ))}
                  <option value="">never</option>
                </select>
              )}
            </FormField>
          </div>
          {failure !== undefined && <Failed failure={failure} />}
          <Button look="main" submits disabled={making.isPending}>
            Make it
          </Button>
        </form>
      ) : (
        <div className="space-y-3">
          <p>Copy it now: it is shown this once, and the server keeps no more than a hash.</p>
          <p className="flex items-center gap-3">
            <code className="rounded-sm bg-surface px-2 py-1 wrap-anywhere">{secret}</code>
            <CopyButton text={secret} what="the token" />
          </p>
          <Button look="main" onClick={onClose}>
            I have it
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function draftIn(form: FormData): { name: string; spec: Token["spec"] } {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const role = roles.find((known) => known === text("role"));
  const days = Number(text("days"));
  const description = text("description");
  return {
    name: text("name"),
    spec: {
      user: text("user"),
      ...(description === "" ? {} : { description }),
      ...(role === undefined ? {} : { role }),
      ...(days > 0 ? { expiresAt: new Date(Date.now() + days * dayMs).toISOString() } : {}),
    },
  };
}

/** Only the answer to the create has it. */
function secretIn(status: object): string {
  return "secret" in status && typeof status.secret === "string" ? status.secret : "";
}
