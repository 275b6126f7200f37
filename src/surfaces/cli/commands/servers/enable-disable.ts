import { switchDeclaration } from '../../../../config.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { editOptions, report } from './edit-report.ts'
import type { EditFlags } from './edit-report.ts'

export async function enable(cli: Cli, flags: EditFlags, name: string): Promise<void> {
  await setEnabled(cli, flags, name, true)
}

export async function disable(cli: Cli, flags: EditFlags, name: string): Promise<void> {
  await setEnabled(cli, flags, name, false)
}

async function setEnabled(cli: Cli, flags: EditFlags, name: string, on: boolean): Promise<void> {
  const output = outputOf(cli, flags)
  const edited = await switchDeclaration(name, on, editOptions(cli, flags))
  report(output, { name, action: on ? 'enabled' : 'disabled' }, edited, flags)
  await output.flush()
}
