import { largePattern } from '../engine/large-pattern.ts'

/** Files that hold secrets, as paths or parts of paths. Texts are in lower case. */
const secretPath = new RegExp(
  [
    String.raw`\.ssh(?![a-z])|\bdot[- ](?:ssh|aws|env|netrc|kube|gnupg|npmrc|docker)\b`,
    String.raw`(?<![a-z])id_(?:rsa|dsa|ecdsa|ed25519)(?!\.pub)`,
    String.raw`authorized_keys|known_hosts`,
    String.raw`\.aws(?:[/\\]|\b)|\.azure(?:[/\\]|\b)|\.kube(?:[/\\]|\b)|kubeconfig|\.config[/\\](?:gcloud|gh|op|hub|rclone)|application_default_credentials`,
    String.raw`\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.gitconfig|\.docker[/\\]config|\.vault-token|\.htpasswd|\.my\.cnf|\.dockercfg`,
    String.raw`(?<![\w/-])\.env(?:\.[a-z]{2,12})?(?![\w*])|[/\\]\.env(?:\.[a-z]{2,12})?(?![\w*])`,
    String.raw`[/\\]etc[/\\](?:passwd|shadow|sudoers|ssl[/\\]private)`,
    String.raw`(?:\.cursor|\.vscode|\.claude|\.codeium|\.continue|\.gemini|\.codex)[/\\][\w./-]{0,60}|(?<![\w])\.?mcp\.json|mcp_config|claude_desktop_config|mcp-servers`,
    String.raw`login\.keychain|[/\\]keychains?(?:[/\\]|\b)|\.gnupg|\.password-store|\.kdbx|keystore\.jks|logins\.json|key4\.db|cookies\.sqlite|[/\\]login data`,
    String.raw`\.bash_history|\.zsh_history|\.bashrc|\.zshrc|\.profile(?![a-z])`,
    String.raw`[/\\]proc[/\\](?:self|\d+)[/\\](?:environ|cmdline)|\.pem(?![a-z])|\.p12(?![a-z])|wallet\.dat|secrets?\.(?:ya?ml|json|toml|env)|credentials\.(?:json|ya?ml|csv|toml)|service[-_]account[\w-]{0,20}\.json|\.tfstate|169\.254\.169\.254`,
  ].join('|'),
)

/** What people call such files and their content. */
const secretFile = new RegExp(
  String.raw`(?:private|ssh|gpg|pgp|signing|encryption|deploy|host|identity) keys?(?! ?(?:-value|value|pair name|names?\b|words?|board|ids?\b|fingerprints?|types?\b|algorithm|length|size))|` +
    String.raw`(?:cookies|passwords|logins) (?:of|from|for) (?:all|every|any|the (?:user|browser|sites?)|their)|(?:key|credentials?|password|secrets?|dotenv|env|keychain|wallet|cookie) (?:files?|store|stores|vault|folder|directory|database|jar|helper|manager)|keychain|key ?ring(?:s)?\b|ssh (?:folder|directory|config|credentials|material)|key material|` +
    String.raw`(?:aws|cloud|gcp|azure|database|db|git|github|docker|kubernetes|cluster|npm|registry|login|saved|stored|cached|local|user|their|shell|service account|browser|deployment) (?:credentials?|secrets|passwords|logins)|` +
    String.raw`(?:tokens?|secrets?|passwords?|credentials?|api keys?)(?:, | or | and )(?:tokens?|secrets?|passwords?|credentials?|api keys?)\b|(?:browser|session|auth(?:entication)?) cookies|saved passwords|password manager|(?:seed|recovery|mnemonic|backup) (?:phrase|words)|` +
    String.raw`(?:access|api|auth(?:entication)?|bearer|session|refresh|oauth|id|secret|personal access) (?:tokens?|keys?|secrets?)(?! (?:count|limits?|usage|budgets?|ids?\b|names?\b))|shell history|(?:rc|startup|history) file of (?:the|their) shell|(?:file|place|folder|directory) (?:where|in which|that) [a-z ']{0,40}(?:keys?|tokens?|passwords?|secrets?|credentials?)`,
)

/** Variables that hold secrets, and the environment as a whole. */
const secretVariable = new RegExp(
  String.raw`\b[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,20}){0,6}_(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PAT|DSN)(?:_ID)?\b|\bPGPASSWORD\b|\bDATABASE_URL\b`,
)
const environment =
  /\benvironment (?:variables?|block|values?)\b|\benv(?:ironment)? vars?\b|\bprocess(?:'s|es)? environment\b|\bprocess\.env\b|\bos\.environ\b|\bprintenv\b|\b(?:the|its|your|whole|entire|full|user's|shell|shell's|current) environment\b(?! (?:name|id|type|is|of the|to deploy))|\bexported (?:variables|tokens|keys)\b|\b(?:what|whatever|values?|variables?|everything) (?:that )?(?:the|this|your|a) (?:shell|process|session|terminal)(?: [a-z]{1,10}){0,3} exports?\b/

export interface SecretTargets {
  /** A path of a secret file. */
  readonly path?: string
  /** A description of one. */
  readonly file?: string
  readonly variable?: string
}

/** The secrets that a sentence speaks of. */
export function findSecrets(text: string, lower: string): SecretTargets {
  const path = largePattern(secretPath).exec(lower)?.[0]
  const file = largePattern(secretFile).exec(lower)?.[0]
  const variable = (secretVariable.exec(text) ?? largePattern(environment).exec(lower))?.[0]
  return {
    ...(path !== undefined && { path }),
    ...(file !== undefined && { file }),
    ...(variable !== undefined && { variable }),
  }
}
