import { resolve } from 'node:path'
import { HostError, toRef } from '../../../../index.ts'
import type { Host, Tool } from '../../../../index.ts'
import { generateModule, generateProgram, isGenerated } from '../../../../internal.ts'
import type { GeneratedFunction } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { folderOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { count } from '../../output/draw.ts'
import { replaceGenerated } from '../../output/replace-generated.ts'
import { checkName, throwIfTimedOut, withHost } from '../../with-host.ts'
import { loadOffers, viewOf } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import { askServer } from './find-tool.ts'

export interface GenerateFlags extends OfferFlags {
  /** A file. */
  readonly out?: string
  readonly cli?: boolean
  readonly force?: boolean
}

/** Writes code that calls the visible tools of one server. */
export async function generate(cli: Cli, flags: GenerateFlags, name: string): Promise<void> {
  await withHost(
    cli,
    flags,
    async (context) => {
      const { host, output } = context
      const server = await checkName(host, flags, name)
      const view = await viewOf(context, flags)
      // The server itself is asked: what is known from disk may be older.
      if (flags.noStart) await loadOffers(context, flags, { names: [server], view })
      else await askServer(context, flags, server)
      const tools = view.tools().filter((tool) => tool.server === server)
      if (tools.length === 0) throwIfTimedOut(context, flags)
      if (tools.length === 0) throw noTools(server, host)
      await refuseSecrets(tools, host)
      const { code, functions } = (flags.cli ? generateProgram : generateModule)(server, tools)
      const about = { server, kind: flags.cli ? 'program' : 'module', functions }
      if (flags.out === undefined) {
        if (flags.json) output.result({ ...about, code }, () => '')
        else output.bytes(Buffer.from(code), () => code)
        return
      }
      const file = resolve(folderOf(cli, flags), flags.out)
      const changed = replaceGenerated(file, code, {
        isGenerated,
        force: flags.force ?? false,
        isProgram: flags.cli ?? false,
        shown: output.notes.path(file),
      })
      output.result({ ...about, file, changed }, ({ path }) =>
        drawWritten(path(file), changed, functions, flags),
      )
    },
    { brokenFiles: 'fail' },
  )
}

/** Names and values of `enum` are not masked, because calls depend on them (decision 014): they would be in the file. */
async function refuseSecrets(tools: readonly Tool[], host: Pick<Host, 'knowSecrets' | 'redactName'>) {
  await host.knowSecrets()
  for (const { ref, server, tool, inputSchema, outputSchema = null } of tools) {
    const text = JSON.stringify([tool, inputSchema, outputSchema])
    if (host.redactName(text) === text) continue
    const shown = host.redactName(ref)
    const message = `No code is generated: the definition of "${shown}" has one of your secrets in a name or a value of enum, where it cannot be masked. Change the secret, or exclude the tool in your settings (tools).`
    throw new HostError('tool.held', { ref: shown, server, reason: 'secret' }, message)
  }
}

function drawWritten(
  file: string,
  changed: boolean,
  functions: readonly GeneratedFunction[],
  { cli = false }: GenerateFlags,
): string {
  const what = count(functions.length, cli ? 'command' : 'function')
  return changed ? `Wrote ${what} to ${file}.` : `${file} is up to date: ${what}.`
}

function noTools(server: string, host: Pick<Host, 'held'>): HostError {
  const message = `"${server}" offers no tools here, so there is nothing to generate.`
  const held = host.held().find((each) => each.server === server)?.offers.length ?? 0
  const review = `${count(held, 'offer')} of it ${held === 1 ? 'is' : 'are'} held: ${serverCommand('review', server)}`
  return new HostError('tool.unknown', { tool: toRef(server, '*'), near: [] }, message, {
    hint: held > 0 ? review : 'See what there is: plugboard tools',
  })
}
