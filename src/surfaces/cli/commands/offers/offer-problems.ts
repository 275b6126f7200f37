import type { Diagnostic, Host, ServerStatus, View } from '../../../../index.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { drawProblem } from '../../output/draw.ts'

/** What is wrong with what decides here. A pattern that matches nothing may be meant for a server that is not known. */
export function problemsFor(view: View, host: Host): readonly Diagnostic[] {
  const isWhole = host.tools().length > 0 && host.servers().every(isLearned)
  return view.problems().filter(({ code }) => isWhole || code !== 'idle-pattern')
}

function isLearned({ isKnown, status }: ServerStatus): boolean {
  return isKnown || status.state === 'disabled'
}

/** For a person: what is left out and why, and what is most likely a mistake. */
export function tellProblems(problems: readonly Diagnostic[], output: Output): void {
  for (const found of problems) {
    const { code, severity } = found
    const message = escapeLine(found.message)
    // C11, B18: a tool that is gone without a word looks like one that its server does not have.
    if (code === 'guarded') output.note(message)
    else if (severity === 'info') continue
    else if (code === 'name-clash') output.warn(message)
    else output.note(drawProblem({ ...found, message }, output.notes))
  }
}

/** Settings that cannot be read hide everything: who finds nothing is told. */
export function tellBrokenSettings(view: View, output: Output): void {
  tellProblems(
    view.problems().filter(({ code, severity }) => code === 'settings-invalid' && severity === 'error'),
    output,
  )
}
