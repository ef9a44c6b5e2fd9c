import type { Clock } from "@bowline/core";
import { FakeAws, type PolicyDocument } from "@bowline/test-aws";

import type { AwsApi, AwsTarget } from "../aws/aws-api.ts";
import { SdkApi } from "../aws/sdk-api.ts";
import { boundaryName } from "../names.ts";
import { countOf, testKey } from "./eks-stage.ts";

export { addLoadBalancer, addVolume } from "@bowline/test-aws";
export { testKey };

/** An account of the fake of AWS for programs that are somebody there by themselves: their calls are signed as his. */
export class FakeAccount implements AsyncDisposable {
  readonly aws: FakeAws;
  readonly api: AwsApi;
  readonly #sdk = new SdkApi();
  #key: NonNullable<AwsTarget["key"]>;

  private constructor(aws: FakeAws, onToken: (token: string, arn: string) => void) {
    this.aws = aws;
    this.#key = aws.addUser("bowline", undefined, testKey);
    aws.addPolicy(boundaryName);
    const own = (target: AwsTarget): AwsTarget => ({ ...target, endpoint: aws.url, key: this.#key });
    this.api = {
      send: (target, name, input) => this.#sdk.send(own(target), name, input),
      token: async (target, cluster) => {
        const made = await this.#sdk.token(own(target), cluster);
        onToken(made.token, this.#identify(made.token, cluster));
        return made;
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  /** With the boundary that the guide asks for. `onToken` hears of tokens for control planes, and whose they are. */
  static async open(clock: Clock, onToken: (token: string, arn: string) => void): Promise<FakeAccount> {
    return new FakeAccount(await FakeAws.start({ clock }), onToken);
  }

  /** Whoever asks is a user with these rights from now on. */
  restrict(...policies: readonly PolicyDocument[]): void {
    this.#key = this.aws.addUser("bowline", policies, testKey);
  }

  /** Whoever asks has a session from now on, which can end. */
  useSession(): void {
    const arn = this.aws.world.arn("iam", "user/bowline");
    this.#key = this.aws.principals.addKey(
      { arn, userId: "AIDAbowline" },
      this.aws.world.clock.now() + 12 * 3_600_000,
    );
  }

  get key(): NonNullable<AwsTarget["key"]> {
    return this.#key;
  }

  /** All that is there, by its type. */
  everything(): Record<string, number> {
    const { volumes, interfaces, securityGroups } = this.aws.world;
    const leftovers = { volumes, interfaces, securityGroups };
    const left = Object.entries(leftovers).map(([type, shelf]) => [type, shelf.all.length] as const);
    return { ...countOf(this.aws, () => true), ...Object.fromEntries(left.filter(([, count]) => count > 0)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sdk[Symbol.asyncDispose]();
    await this.aws[Symbol.asyncDispose]();
  }

  /** As the control plane does it. */
  #identify(token: string, cluster: string): string {
    const url = new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString("utf8"));
    return this.aws.identify(url, { "x-k8s-aws-id": cluster });
  }
}
