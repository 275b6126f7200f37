import { resolve } from 'node:path'
import { HostError, toRef } from '../../../../index.ts'
import type { Host } from '../../../../index.ts'
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
