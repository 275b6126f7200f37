import { outputOf } from '../context.ts'
import type { Cli, CommonFlags } from '../context.ts'
import { usage } from '../errors.ts'

/** Scripts ask the program itself, so that they know this folder's servers. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_plugboard() {
  local IFS=$'\\n'
  COMPREPLY=($(plugboard __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${COMPREPLY-} == *[=/] ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _plugboard plugboard`,
  zsh: `#compdef plugboard
_plugboard() {
  local -a found
  found=("\${(@f)$(plugboard __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _plugboard plugboard`,
  fish: `complete -c plugboard -f -a '(plugboard __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

export async function completion(cli: Cli, flags: CommonFlags, shell: string): Promise<void> {
  const script = scripts[shell]
  if (script === undefined) {
    const hint = `It is one of ${Object.keys(scripts).join(', ')}.`
    throw usage(`There is no completion for "${shell}".`, hint)
  }
  const output = outputOf(cli, flags)
  output.result({ shell, script }, () => script)
  await output.flush()
}
