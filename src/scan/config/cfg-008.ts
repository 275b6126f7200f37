import { isOfProject, namedValues } from './config-rule.ts'
import type { ConfigRule } from './config-rule.ts'

/** Variables that open an account of the person, not one made for a server. */
const personal =
  /^(?:AWS_(?:SECRET_ACCESS_KEY|SESSION_TOKEN|ACCESS_KEY_ID)|AZURE_CLIENT_SECRET|GOOGLE_APPLICATION_CREDENTIALS|(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|MISTRAL|GROQ|XAI|OPENROUTER|DEEPSEEK|HUGGINGFACE|COHERE)_API_KEY|HF_TOKEN|GITHUB_TOKEN|GH_TOKEN|GITLAB_TOKEN|NPM_TOKEN|NODE_AUTH_TOKEN|PYPI_TOKEN|DOCKER_PASSWORD|CARGO_REGISTRY_TOKEN|VAULT_TOKEN|KUBECONFIG|SSH_AUTH_SOCK|STRIPE_SECRET_KEY|CLOUDFLARE_API_TOKEN|SLACK_BOT_TOKEN|DATABASE_URL|PGPASSWORD)$/
const reference =
  /\$\{(?:env:|secret:)?([A-Za-z_][A-Za-z0-9_]*)[^}]*\}|\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Z_][A-Z0-9_]*)/g

export const passedSecret: ConfigRule = {
  id: 'CFG-008',
  severity: 'high',
  title: "Project entry that takes a person's secret",
  reason: 'A file of a repository decides that a secret of yours goes to a server of its choice.',
  remedy: 'Give the server a key of its own under a name of its own.',
  hits: [
    { command: 'server', env: { TOKEN: '${AWS_SECRET_ACCESS_KEY}' } },
    { url: 'https://example.com/mcp?k=${GITHUB_TOKEN}' },
  ],
  misses: [
    { command: 'server', env: { TOKEN: '${SERVER_TOKEN}' } },
    { command: 'server', env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } },
  ],
  find: (server) => {
    if (!isOfProject(server)) return []
    return namedValues(server).flatMap(({ field, key, value, pointer }) =>
      [...value.matchAll(reference)]
        .flatMap(([, braced, short, bare]) => [braced ?? short ?? bare ?? ''])
        .filter((name) => personal.test(name))
        // A program on this machine that gets a variable under its own name is what the variable is for.
        .filter((name) => !(field === 'env' && key === name))
        .map((name) => ({
          severity: 'high' as const,
          pointer,
          message: `It passes on ${name}.`,
          evidence: value,
        })),
    )
  },
}
