import { AccessGrant } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { createObject, deleteObject, getObject, replaceSpec } from "../../live/objects.ts";
import { failureIn } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmByName } from "../../ui/confirm-by-name.tsx";
import { Conflict } from "../../ui/data-states.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Failed } from "../../ui/states.tsx";
import { mergedOver } from "../../ui/three-way.ts";
import { ManagedByGit } from "../managed-by-git.tsx";
import type { AccessWorld } from "./access-world.ts";
import { draftOf, emptyDraft, specOf, type GrantDraft } from "./grant-draft.ts";
import { GrantForm } from "./grant-form.tsx";
import { GrantPreviewPane } from "./grant-preview-pane.tsx";

export interface GrantEditorProps {
  readonly world: AccessWorld;
  /** Empty for a new one. */
  readonly name: string;
  readonly onClose: () => void;
}

type GrantSpec = AccessGrant["spec"];

/** Makes, changes and deletes a grant, and shows meanwhile what it would give. */
export function GrantEditor({ world, name, onClose }: GrantEditorProps): ReactNode {
  const { grants, me } = world;
  // As it was when somebody began to look at it: what others write meanwhile must not change under their hands.
  const [base, setBase] = useState(() => grants.find(({ metadata }) => metadata.name === name));
  const [draft, setDraft] = useState<GrantDraft>(() => (base === undefined ? emptyDraft : draftOf(base)));
  const [theirs, setTheirs] = useState<AccessGrant>();
  const [isDeleting, setDeleting] = useState(false);
  const isAdmin = me.role === "admin";
  const spec = specOf(draft);
  const saving = useMutation({
    async mutationFn({ wanted, over }: { wanted: GrantSpec; over: AccessGrant | undefined }) {
      if (over === undefined) return createObject(AccessGrant, { name: draft.name, spec: wanted });
      return replaceSpec(AccessGrant, over, wanted);
    },
    onSuccess: onClose,
    async onError(error) {
      if (base !== undefined && failureIn(error)?.status === 412)
        setTheirs(await getObject(AccessGrant, base.metadata.name));
    },
  });
  const deleting = useMutation({
    mutationFn: (grant: AccessGrant) => deleteObject(AccessGrant, grant),
    onSuccess: onClose,
    onError: () => setDeleting(false),
  });
  if (name !== "" && base === undefined) {
    return (
      <Dialog title={cleanText(name)} onClose={onClose}>
        <Empty>There is no grant of that name; it may have been deleted.</Empty>
      </Dialog>
    );
  }
  const unsaved = failureIn(saving.error);
  // What somebody else wrote meanwhile is shown as a conflict.
  const failure = failureIn(deleting.error) ?? (unsaved?.status === 412 ? undefined : unsaved);
  const title = base === undefined ? "New grant" : `Grant ${cleanText(base.metadata.name)}`;
  return (
    <Dialog title={title} onClose={onClose} isWide>
      {theirs !== undefined && base !== undefined && !("problem" in spec) ? (
        <Conflict
          base={base.spec}
          yours={spec}
          theirs={theirs.spec}
          onKeep={() => {
            const wanted = mergedOver(base.spec, spec, theirs.spec) as GrantSpec;
            setTheirs(undefined);
            saving.mutate({ wanted, over: theirs });
          }}
          onRedo={() => {
            setBase(theirs);
            setDraft(draftOf(theirs));
            setTheirs(undefined);
            saving.reset();
          }}
        />
      ) : (
        <div className="grid gap-6 md:grid-cols-2">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!("problem" in spec)) saving.mutate({ wanted: spec, over: base });
            }}
          >
            <fieldset disabled={!isAdmin} className="min-w-0 space-y-3">
              <ManagedByGit object={base} />
              <GrantForm
                draft={draft}
                isNew={base === undefined}
                problem={"problem" in spec ? spec : undefined}
                onChange={(change) => setDraft({ ...draft, ...change })}
              />
              <div className="sticky bottom-0 bg-raised py-2">
                {failure !== undefined && <Failed failure={failure} admins={world.admins} />}
                <div className="flex flex-wrap gap-2">
                  <Button look="main" submits disabled={"problem" in spec || saving.isPending}>
                    {base === undefined ? "Grant it" : "Write the change"}
                  </Button>
                  {base !== undefined && (
                    <Button look="danger" onClick={() => setDeleting(true)}>
                      Delete the grant
                    </Button>
                  )}
                </div>
              </div>
            </fieldset>
            {!isAdmin && (
              <p className="mt-2 text-muted">
                Only admins write grants
                {world.admins.length === 0 ? "" : `: ${cleanText(world.admins.join(", "), 300)}`}.
              </p>
            )}
          </form>
          <GrantPreviewPane spec={"problem" in spec ? undefined : spec} world={world} />
        </div>
      )}
      {isDeleting && base !== undefined && (
        <ConfirmByName
          title={`Delete the grant ${cleanText(base.metadata.name)}`}
          name={base.metadata.name}
          action="Delete the grant"
          isBusy={deleting.isPending}
          onConfirm={() => deleting.mutate(base)}
          onClose={() => setDeleting(false)}
        >
          <p>Whoever reaches clusters by it alone is kept out at once; logs and shells that are open end.</p>
        </ConfirmByName>
      )}
    </Dialog>
  );
}
