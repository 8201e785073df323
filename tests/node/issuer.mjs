// An OpenID provider on loopback, for tests: discovery, keys, and signed access tokens for the client credentials grant.
//
//     node issuer.mjs      prints {"issuer": …} once it listens; ends with its standard input
import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";
import { Provider } from "oidc-provider";

const server = createServer().listen(0, "127.0.0.1");
await new Promise((ready) => server.once("listening", ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const key = (type, options, alg) => ({
  ...generateKeyPairSync(type, options).privateKey.export({ format: "jwk" }),
  use: "sig",
  kid: alg,
  alg,
});
const known = ["agent", "reader", "brief"];
const provider = new Provider(issuer, {
  clients: known.map((id) => ({
    client_id: id,
    client_secret: `secret-of-${id}`,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: "client_secret_post",
  })),
  jwks: { keys: [key("rsa", { modulusLength: 2048 }, "RS256"), key("ec", { namedCurve: "P-256" }, "ES256")] },
  scopes: ["openid", "read", "capture", "manage", "install"],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource, client) => ({
        scope: "openid read capture manage install",
        audience: resource,
        accessTokenTTL: client.clientId === "brief" ? 1 : 300,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: client.clientId === "reader" ? "ES256" : "RS256" } },
      }),
    },
  },
  extraTokenClaims: (_, token) => (token.clientId === "reader" ? { okf_kbs: ["river"], okf_deny_paths: ["private"] } : {}),
  ttl: { ClientCredentials: 300 },
});
server.on("request", provider.callback());
process.stdin.resume().on("end", () => process.exit(0));
console.log(JSON.stringify({ issuer }));
