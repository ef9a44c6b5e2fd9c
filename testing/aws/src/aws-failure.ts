/** An error as AWS answers it; each protocol writes it in its own way. */
export class AwsFailure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = "AwsFailure";
    this.code = code;
    this.status = status;
  }
}
