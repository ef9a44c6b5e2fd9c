import { providerContract } from "../testing/provider-contract.ts";
import { eksStage } from "./testing/eks-stage.ts";

const cuts = "it dies at every call, which takes minutes: eks-contract.long.test.ts";

providerContract(
  "eks",
  eksStage({
    omitted: {
      "dying while creating": cuts,
      "dying while deleting": cuts,
      "deleting what is half made": cuts,
      "lost answers": cuts,
      "refused calls": cuts,
      changing: cuts,
    },
  }),
);
