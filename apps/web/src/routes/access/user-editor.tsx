import { roles, User, type Role } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { createObject, deleteObject, getObject, replaceSpec } from "../../live/objects.ts";
import { failureIn } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmByName } from "../../ui/confirm-by-name.tsx";
import { Conflict } from "../../ui/data-states.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { Empty, Failed } from "../../ui/states.tsx";
import { mergedOver } from "../../ui/three-way.ts";
import type { AccessWorld } from "./access-world.ts";

type UserSpec = User["spec"];

const newUser: UserSpec = { role: "viewer", groups: [], disabled: false };

export interface UserEditorProps {
  readonly world: AccessWorld;
  /** Empty for a new one. */
  readonly name: string;
  readonly onClose: () => void;
}

/** Makes, changes and deletes a User. */
export function UserEditor({ world, name, onClose }: UserEditorProps): ReactNode {
  const { users, me } = world;
  const [base, setBase] = useState(() => users.find(({ metadata }) => metadata.name === name));
  const [newName, setNewName] = useState("");
  const [spec, setSpec] = useState<UserSpec>(base?.spec ?? newUser);
  const [theirs, setTheirs] = useState<User>();
  const [isDeleting, setDeleting] = useState(false);
  const isAdmin = me.role === "admin";
  const saving = useMutation({
    mutationFn: ({ wanted, over }: { wanted: UserSpec; over: User | undefined }) =>
      over === undefined
        ? createObject(User, { name: newName, spec: wanted })
        : replaceSpec(User, over, wanted),
    onSuccess: onClose,
    async onError(error) {
      if (base !== undefined && failureIn(error)?.status === 412)
        setTheirs(await getObject(User, base.metadata.name));
    },
  });
  const deleting = useMutation({
    mutationFn: (user: User) => deleteObject(User, user),
    onSuccess: onClose,
    onError: () => setDeleting(false),
  });
  if (name !== "" && base === undefined) {
    return (
      <Dialog title={cleanText(name)} onClose={onClose}>
        <Empty>There is no User of that name; it may have been deleted.</Empty>
      </Dialog>
    );
  }
  const unsaved = failureIn(saving.error);
  // What somebody else wrote meanwhile is shown as a conflict.
  const failure = failureIn(deleting.error) ?? (unsaved?.status === 412 ? undefined : unsaved);
  return (
    <Dialog
      title={base === undefined ? "New user" : `User ${cleanText(base.metadata.name)}`}
      onClose={onClose}
    >
      {theirs !== undefined && base !== undefined ? (
        <Conflict
          base={base.spec}
          yours={spec}
          theirs={theirs.spec}
          onKeep={() => {
            const wanted = mergedOver(base.spec, spec, theirs.spec) as UserSpec;
            setTheirs(undefined);
            saving.mutate({ wanted, over: theirs });
          }}
          onRedo={() => {
            setBase(theirs);
            setSpec(theirs.spec);
            setTheirs(undefined);
            saving.reset();
          }}
        />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate({ wanted: spec, over: base });
          }}
        >
          <fieldset disabled={!isAdmin} className="min-w-0 space-y-3">
            {base === undefined && (
              <FormField label="Name" help="Lower-case letters, digits and -.">
                {(ids) => (
                  <input
                    {...ids}
                    required
                    autoComplete="off"
                    className={fieldClass}
                    value={newName}
                    onChange={({ target }) => setNewName(target.value)}
                  />
                )}
              </FormField>
            )}
            <UserFields spec={spec} onChange={(change) => setSpec({ ...spec, ...change })} />
            <div className="sticky bottom-0 bg-raised py-2">
              {failure !== undefined && <Failed failure={failure} admins={world.admins} />}
              <div className="flex flex-wrap gap-2">
                <Button look="main" submits disabled={saving.isPending}>
                  {base === undefined ? "Make the user" : "Write the change"}
                </Button>
                {base !== undefined && (
                  <Button look="danger" onClick={() => setDeleting(true)}>
                    Delete the user
                  </Button>
                )}
              </div>
            </div>
          </fieldset>
          {!isAdmin && <p className="mt-2 text-muted">Only admins write users.</p>}
        </form>
      )}
      {isDeleting && base !== undefined && (
        <ConfirmByName
          title={`Delete the user ${cleanText(base.metadata.name)}`}
          name={base.metadata.name}
          action="Delete the user"
          isBusy={deleting.isPending}
          onConfirm={() => deleting.mutate(base)}
          onClose={() => setDeleting(false)}
        >
          <p>Their tokens and sessions have to go with them; to keep somebody out, disable them instead.</p>
        </ConfirmByName>
      )}
    </Dialog>
  );
}

function UserFields({
  spec,
  onChange,
}: {
  spec: UserSpec;
  onChange: (change: Partial<UserSpec>) => void;
}): ReactNode {
  return (
    <>
      <FormField
        label="Role"
        help="Viewers read, editors also write, admins also manage users, tokens and access."
      >
        {(ids) => (
          <select
            {...ids}
            className={fieldClass}
            value={spec.role}
            onChange={({ target }) => onChange({ role: roleNamed(target.value) })}
          >
            {roles.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        )}
      </FormField>
      <FormField label="Groups" help="One in each line, as AccessGrants name them.">
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            className={fieldClass}
            defaultValue={spec.groups.join("\n")}
            onChange={({ target }) =>
              onChange({
                groups: [...new Set(target.value.split("\n").map((line) => line.trim()))].filter(Boolean),
              })
            }
          />
        )}
      </FormField>
      <label className="inline-flex min-h-6 items-center gap-1.5">
        <input
          type="checkbox"
          checked={spec.disabled}
          onChange={({ target }) => onChange({ disabled: target.checked })}
        />
        Disabled: kept out, with all their tokens and sessions
      </label>
    </>
  );
}

function roleNamed(name: string): Role {
  return roles.find((role) => role === name) ?? "viewer";
}
