import { removeDeclaration } from '../../../../config.ts'
import { explain } from '../../../../index.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { discoverFor } from '../../discover-servers.ts'
import { placeOf } from '../../output/draw.ts'
import { editOptions, report } from './edit-report.ts'
import type { EditFlags } from './edit-report.ts'

export async function remove(cli: Cli, flags: EditFlags, name: string): Promise<void> {
  const output = outputOf(cli, flags)
  const edited = await removeDeclaration(name, editOptions(cli, flags))
  report(output, { name, action: 'removed' }, edited, flags)
  await noteNewWinner(cli, output, flags, name)
  await output.flush()
}

/** Removing a declaration may put a hidden one of the same name in force. */
async function noteNewWinner(cli: Cli, output: Output, flags: EditFlags, name: string): Promise<void> {
  if (flags.dryRun) return
  const [next] = explain(await discoverFor(cli, flags), name)
  if (next?.winner)
    output.note(`"${name}" is now the one declared in ${placeOf(next.winner.origin, output.notes)}.`)
}
