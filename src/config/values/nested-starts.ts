import { isAbsolute } from 'node:path'
import { dashWrappers, isScriptOfNpm, nameOf, textWrappers, unwrap } from './runner-words.ts'
import type { ProgramWords } from './runner-words.ts'
import { runners, shells } from './runners.ts'

/** Programs whose words run elsewhere: in a container or on another machine, where the project's folder is not the working directory. */
const remote = /^(?:docker|podman|nerdctl|kubectl|oc|ssh|wsl|limactl|multipass|vagrant)$/

/** Programs of packages: their first operand is a package, so that any word after their name makes a start. */
const packageRunners = /^(?:npx|bunx|pnpx|uvx)$/
const ownOptions = /^(?:-[ypqc]|--(?:yes|no-install|package|quiet|call|from|with|python)(?:=.*)?|--)$/
const verbs = /^(?:exec|x|run|run-script|start|dlx|tool|serve|task)$/

/**
 * T130: the starts of runners among the words after a program, such as `strace -f npx …` or `mcp-proxy -- uv run …`.
 * After a program that is known to run its operands every runner counts. After any other program, a runner may be a
 * plain value, as in `--allow npx`, so it counts only if the next words are its own.
 */
export function nestedStarts({ program, args, offset }: ProgramWords): readonly ProgramWords[] {
  const found: ProgramWords[] = []
  let [isRun, isRemote] = kindOf(nameOf(program))
  for (const [index, word] of args.entries()) {
    if (isRemote) break
    // The words up to the program of the last start are its own, such as `npx-cli.js` after `node`.
    if (offset + index < (found.at(-1)?.offset ?? 0)) continue
    const name = wordName(word)
    if (name === undefined) continue
    const rest = args.slice(index + 1)
    if (isRunner(name) && (isRun || isStart(name, rest, args[index - 1] ?? '')))
      found.push(unwrap({ program: word, args: rest, offset: offset + index + 1, entered: offset + index }))
    const [runs, leaves] = kindOf(name)
    isRun ||= runs
    isRemote = leaves && (isRun || index === 0)
  }
  return found
}

function kindOf(name: string): readonly [runsOperands: boolean, isRemote: boolean] {
  return [textWrappers.test(name) || dashWrappers.test(name) || shells.test(name), remote.test(name)]
}

/** The name of a program that a word may be: a bare name or an absolute path, no package such as `@acme/bun`. */
function wordName(word: string): string | undefined {
  if (/\s/.test(word) || (/[\\/]/.test(word) && !isAbsolute(word))) return undefined
  return nameOf(word)
}

function isRunner(name: string): boolean {
  return (
    /^(?:node(?:js)?|uvx)$/.test(name) || shells.test(name) || runners.some((row) => row.program.test(name))
  )
}

function isStart(name: string, rest: readonly string[], before: string): boolean {
  const [next] = rest
  if (next === undefined) return false
  if (isScriptOfNpm(next)) return name === 'node'
  const mayBeValue = /^--[^=]+$/.test(before)
  if (packageRunners.test(name)) return !mayBeValue || ownOptions.test(next)
  if (/^(?:node|nodejs|py|python|pypy)/.test(name) || shells.test(name))
    return next.startsWith('-') && (!mayBeValue || /^-\w/.test(next))
  const operand = rest.find((word) => !word.startsWith('-'))
  return operand !== undefined && verbs.test(operand)
}
