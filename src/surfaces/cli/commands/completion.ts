import { outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { usage } from '../errors.ts'

/**
 * The scripts call the program itself, so that they know this folder's servers. Bash splits words at `=` and `:` and leaves
 * quoting to us, so its script passes the whole line; it fills arrays one by one, because macOS has bash 3.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_plugboard() {
  local reply
  COMPREPLY=()
  while IFS= read -r reply; do
    COMPREPLY+=("$reply")
  done < <(plugboard __complete --bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  [[ \${COMPREPLY-} == *[=/] ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _plugboard plugboard`,
  zsh: `#compdef plugboard
_plugboard() {
  local -a found unfinished
  local missed=1
  found=(\${(f)"$(plugboard __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  unfinished=(\${(M)found:#*[=/]})
  found=(\${found:#*[=/]})
  compadd -S '' -a unfinished && missed=0
  compadd -a found && missed=0
  return $missed
}
compdef _plugboard plugboard`,
  fish: `complete -c plugboard -f -a '(plugboard __complete -- (commandline -opc)[2..] (commandline -ct | string unescape; or commandline -ct) 2>/dev/null)'`,
}

export async function completion(cli: Cli, flags: CommonFlags, shell: string): Promise<void> {
  const script = scripts[shell]
  if (script === undefined) {
    const hint = `Use one of ${Object.keys(scripts).join(', ')}.`
    throw usage(`There is no completion for "${shell}".`, hint)
  }
  const output = outputOf(cli, flags)
  output.result({ shell, script }, () => script)
  await output.flush()
}
