import { jsonAnswer, openErrorReferences, writeErrorReferences } from "./answers.ts";

/** Signing in with a browser: the operations on Sessions beyond reading and deleting them. */
export function sessionPaths(): Record<string, object> {
  return {
    "/api/v1/sessions": {
      post: {
        operationId: "createSession",
        summary: "Sign in with a browser",
        description:
          "Shows a token or a JWT by an Authorization header, or a one-time code in the body, and is answered with a cookie that stands for a session. It counts for what a script of this server's own pages asks, and for nothing else.",
        tags: ["Session"],
        security: [],
        requestBody: {
          required: false,
          content: { "application/json": { schema: { $ref: "#/components/schemas/SignInRequest" } } },
        },
        responses: {
          "201": jsonAnswer("Signed in; the answer sets the cookie.", "Session", ["Location"]),
          ...writeErrorReferences("422"),
        },
      },
    },
    "/api/v1/sessions/codes": {
      post: {
        operationId: "createSignInCode",
        summary: "Make a one-time code to sign in with",
        description:
          "For a link that opens the console signed in, or for a command line that somebody agrees to. It works once, for a minute or five, at any replica, and gives the rights of whoever asks for it.",
        tags: ["Session"],
        requestBody: {
          required: false,
          content: { "application/json": { schema: { $ref: "#/components/schemas/SignInCodeRequest" } } },
        },
        responses: { "201": jsonAnswer("Made.", "SignInCode"), ...writeErrorReferences("422") },
      },
    },
    "/api/v1/sessions/redeem": {
      post: {
        operationId: "redeemSignInCode",
        summary: "Sign in with a command line that somebody has agreed to",
        description:
          "Takes a one-time code that was made for this command line, with the secret whose challenge was shown then, and is answered with what to send in Authorization headers: once.",
        tags: ["Session"],
        security: [],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/CodeRedemption" } } },
        },
        responses: { "201": jsonAnswer("Signed in.", "CommandCredential"), ...writeErrorReferences("422") },
      },
    },
    "/api/v1/console": {
      get: {
        operationId: "consoleInfo",
        summary: "Say how one can sign in",
        tags: ["Server"],
        security: [],
        responses: { "200": jsonAnswer("How.", "ConsoleInfo"), ...openErrorReferences() },
      },
    },
  };
}
