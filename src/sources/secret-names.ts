const secretName = /authorization|token|secret|passw|api[-_]?key|access[-_]?key|private[-_]?key|credential/i
const placeholder = /\$\{?[A-Za-z_{(]|\$env:|^!|\{env:|\{file:|%[A-Za-z_]+%|^\{[^}]*\}$/

/** A secret's name with a value that stands there as it is, instead of naming where it comes from. */
export function looksSecret(name: string, value: string): boolean {
  return value.trim() !== '' && secretName.test(name) && !placeholder.test(value)
}
