import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import type { Maker } from "./cluster-form.ts";
import { ClusterText, type ClusterFieldsProps } from "./cluster-text.tsx";

/** What a provider has to know in the simple case; the text of the object has everything else. */
export function ProviderFields(props: ClusterFieldsProps): ReactNode {
  const Fields = fieldsOf[props.form.provider];
  return <Fields {...props} />;
}

const fieldsOf: Readonly<Record<Maker, (props: ClusterFieldsProps) => ReactNode>> = {
  kind: KindFields,
  eks: EksFields,
  clusterapi: ClusterApiFields,
  exec: ExecFields,
};

function KindFields(props: ClusterFieldsProps): ReactNode {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Version {...props} help="Empty for the newest that kind knows." />
        <ClusterText
          {...props}
          name="nodes"
          label="Nodes"
          help="The control plane among them; 1 if empty."
          type="number"
        />
      </div>
      <Region {...props} />
    </>
  );
}

function EksFields(props: ClusterFieldsProps): ReactNode {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <ClusterText {...props} name="region" label="Region" help="Such as eu-central-1." isRequired />
        <Version {...props} help="Empty for what AWS takes by default." />
        <ClusterText
          {...props}
          name="nodeType"
          label="Type of the machines"
          help="Such as m7g.large."
          isRequired
        />
        <ClusterText {...props} name="nodes" label="Machines" help="2 if empty." type="number" />
      </div>
      <ClusterText
        {...props}
        name="credential"
        label="Credential"
        help="The name of one of the type aws; empty where the server has an identity of its own."
      />
    </>
  );
}

function ClusterApiFields(props: ClusterFieldsProps): ReactNode {
  const { form, problems, clusters, onChange } = props;
  return (
    <>
      <FormField
        label="Management cluster"
        help="The cluster that runs Cluster API."
        problem={problems.get("managementCluster")}
      >
        {(ids) => (
          <select
            {...ids}
            required
            value={form.managementCluster}
            className={fieldClass}
            onChange={({ target }) => onChange({ managementCluster: target.value })}
          >
            <option value="">Choose one</option>
            {clusters.map((name) => (
              <option key={name} value={name}>
                {cleanText(name, 63)}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <fieldset>
        <legend className="mb-0.5 font-semibold">Made of</legend>
        {(["class", "template"] as const).map((madeOf) => (
          <label key={madeOf} className="mr-4 inline-flex min-h-6 items-center gap-1.5">
            <input
              type="radio"
              name="made-of"
              checked={form.madeOf === madeOf}
              onChange={() => onChange({ madeOf })}
            />
            {madeOf === "class" ? "a ClusterClass" : "a WorkloadDefinition"}
          </label>
        ))}
      </fieldset>
      {form.madeOf === "template" ? (
        <ClusterText
          {...props}
          name="template"
          label="WorkloadDefinition"
          help="It has the objects of Cluster API."
          isRequired
        />
      ) : (
        <div className="grid gap-3 sm:grid-cols-2">
          <ClusterText
            {...props}
            name="clusterClass"
            label="ClusterClass"
            help="In the management cluster."
            isRequired
          />
          <Version {...props} help="Such as 1.36.2." isRequired />
          <ClusterText
            {...props}
            name="nodes"
            label="Machines of the control plane"
            help="1 if empty."
            type="number"
          />
        </div>
      )}
      <Region {...props} />
    </>
  );
}

function ExecFields(props: ClusterFieldsProps): ReactNode {
  return (
    <>
      <ClusterText
        {...props}
        name="program"
        label="Program"
        help="By the name that the settings of the server give it."
        isRequired
      />
      <ClusterText {...props} name="args" label="Arguments" help="One in each line." type="lines" />
      <Region {...props} />
    </>
  );
}

function Version(props: ClusterFieldsProps & { help: string; isRequired?: boolean }): ReactNode {
  return <ClusterText {...props} name="kubernetesVersion" label="Kubernetes version" />;
}

function Region(props: ClusterFieldsProps): ReactNode {
  return (
    <ClusterText {...props} name="region" label="Region" help="Where it runs, if that matters to somebody." />
  );
}
