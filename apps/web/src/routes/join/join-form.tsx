import { agentRights, defaultRights, type Cluster } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useId, useState, type FormEvent, type ReactNode } from "react";

import { Button } from "../../ui/button.tsx";
import { LabelChips } from "../../ui/label-chips.tsx";
import {
  imageProblem,
  lifetimes,
  nameProblem,
  readLabel,
  regionProblem,
  rightsInWords,
  type JoinInput,
} from "./join-input.ts";

export interface JoinFormProps {
  readonly existing: readonly Cluster[];
  readonly isBusy: boolean;
  /** Why the asker may not; undefined when they may. */
  readonly refusal: string | undefined;
  readonly onSubmit: (input: JoinInput) => void;
}

const empty: JoinInput = {
  name: "",
  labels: {},
  region: "",
  rights: defaultRights,
  image: "",
  expiresInSeconds: 3_600,
};
const fieldClass = "w-full rounded-sm border border-control bg-bg px-2 py-1";

/** The first step: what the cluster is called, and what its agent may see. */
export function JoinForm({ existing, isBusy, refusal, onSubmit }: JoinFormProps): ReactNode {
  const [input, setInput] = useState(empty);
  const set = (part: Partial<JoinInput>): void => setInput((before) => ({ ...before, ...part }));
  const problem = nameProblem(input.name, existing);
  const problemOfRegion = regionProblem(input.region);
  const waiting = existing.find(
    ({ metadata, status }) => metadata.name === input.name && status.agent === undefined,
  );
  const problemOfImage = imageProblem(input.image);
  const problems = [problem, problemOfRegion, problemOfImage];
  const isGood = input.name !== "" && problems.every((each) => each === undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isGood && refusal === undefined) onSubmit(input);
  };
  return (
    <form className="max-w-xl space-y-4" onSubmit={submit}>
      <Field label="Name" problem={problem} help="Short, and as you would say it: prod-eu-1.">
        {(props) => (
          <input
            {...props}
            value={input.name}
            required
            maxLength={80}
            spellCheck={false}
            autoComplete="off"
            className={`${fieldClass} font-mono`}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      {waiting !== undefined && (
        <p>
          <Link to="/clusters/add" search={{ name: input.name }}>
            Go on with {input.name}
          </Link>
        </p>
      )}
      <LabelChips labels={input.labels} read={readLabel} onChange={(labels) => set({ labels })} />
      <Field label="Region" problem={problemOfRegion} help="Where it runs, if that matters to somebody.">
        {(props) => (
          <input
            {...props}
            value={input.region}
            spellCheck={false}
            autoComplete="off"
            className={`${fieldClass} font-mono`}
            onChange={(event) => set({ region: event.target.value })}
          />
        )}
      </Field>
      <fieldset>
        <legend className="mb-1 font-semibold">What the agent may see by itself</legend>
        {agentRights.map((rights) => (
          <label key={rights} className="flex min-h-6 items-start gap-2">
            <input
              type="radio"
              name="rights"
              className="mt-0.5"
              checked={input.rights === rights}
              onChange={() => set({ rights })}
            />
            <span>
              <span className="font-mono">{rights}</span>{" "}
              <span className="text-muted">{rightsInWords[rights]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        label="Image of the agent"
        problem={problemOfImage}
        help="Where the nodes can pull it from; bowline in this server's version, if left out."
      >
        {(props) => (
          <input
            {...props}
            value={input.image}
            placeholder="registry.example.com/bowline:0.1.0"
            spellCheck={false}
            autoComplete="off"
            className={`${fieldClass} font-mono`}
            onChange={(event) => set({ image: event.target.value })}
          />
        )}
      </Field>
      <Field label="The token works for" problem={undefined} help="It is good for one agent, once.">
        {(props) => (
          <select
            {...props}
            value={input.expiresInSeconds}
            className={fieldClass}
            onChange={(event) => set({ expiresInSeconds: Number(event.target.value) })}
          >
            {lifetimes.map(({ seconds, name }) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button look="main" submits disabled={!isGood || isBusy || refusal !== undefined}>
        Create
      </Button>
      {refusal !== undefined && <p className="text-muted">{refusal}</p>}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly problem: string | undefined;
  readonly help: string;
  readonly children: (props: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ReactNode;
}

function Field({ label, problem, help, children }: FieldProps): ReactNode {
  const id = useId();
  const describedBy = `${id}-help`;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold">
        {label}
      </label>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": problem !== undefined })}
      <p
        id={describedBy}
        role="status"
        className={`mt-1 text-xs ${problem === undefined ? "text-muted" : "text-degraded"}`}
      >
        {problem ?? help}
      </p>
    </div>
  );
}
