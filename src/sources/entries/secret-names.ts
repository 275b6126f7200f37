const secretName =
  /authorization|token(?!s\b|s_|izer)|secret|passw|api[-_]?key|access[-_]?key|private[-_]?key|credential/i
/** Words that mark a secret within a longer name: DB_PASS, X-Auth, sessionId. `key` alone does not. */
const secretWord = /pass\b|pass(?:code|phrase)|pwd\b|cookie|\bsession\b|auth$|[a-z\d] (?:key|pat)\b/i
/** A cheap first test: most names contain none of these words. */
const mayHoldWord = /pass|pwd|pat|cookie|session|auth|key/i

/** Whether a name says so without doubt. `MAX_TOKENS` does not. */
export function hasSecretWord(name: string): boolean {
  return secretName.test(name)
}

/** Whether a name is one of a secret, in doubt too: what is shown is hidden by it. */
export function isSecretName(name: string): boolean {
  return hasSecretWord(name) || (mayHoldWord.test(name) && secretWord.test(wordsOfName(name)))
}

/** Splits a name into words: `stripeKey`, `STRIPE_KEY` and `stripe-key` give the same. */
export function wordsOfName(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|[_.-]|(?<=[A-Za-z])(?=\d)/g, ' ')
}

const harmlessName =
  /^(?:HOME|PATH|USER|USERNAME|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|SHELL|TERM|PWD|OLDPWD|TMPDIR|TEMP|TMP|XDG_\w+|HOSTNAME|NODE_ENV|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|COMSPEC)$/i
const plainValue = /^(?:[-+]?\d{1,9}(?:\.\d{1,9})?|(?=.{0,12}$)[a-z]*(?:-[a-z]+)*)$/
const folderName = /(?:BIN|DIR|DIRECTORY|FOLDER|HOME|PATH|ROOT)$/i
const folder = /^(?:~|[A-Za-z]:)?[\\/][^:@]*$/

/** T35: a variable's value is hidden unless its name is known to be harmless, or both name and value look harmless. */
export function shouldHideVariable(name: string, key: string, value: string): boolean {
  if (/:\/\/[^/\s@]*@/.test(value)) return true
  if (harmlessName.test(name)) return name !== key && isSecretName(key)
  if (isSecretName(name) || isSecretName(key)) return true
  return !plainValue.test(value) && !(folderName.test(name) && folder.test(value))
}
