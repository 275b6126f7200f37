import { resolve } from 'node:path'
import { HostError } from '../../../../index.ts'
import type { PrunedRows, Store, StoreStatus } from '../../../../store.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { outputOf, folderOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { count } from '../../output/draw.ts'
import { askForYes } from '../servers/consent.ts'
import { withStore } from './with-store.ts'

export interface PruneFlags extends CommonFlags {
  /** Milliseconds. */
  readonly older: number
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export function storeStatus(cli: Cli, flags: CommonFlags): Promise<void> {
  return withStore(cli, flags, async (store, { output }) => {
    if (!store) return output.result({ store: null }, () => noStore)
    const status = await store.status()
    output.result({ store: status }, (canvas) => drawStatus(status, canvas))
  })
}

const noStore = 'Nothing is kept yet: the first conversation makes the store.'

export async function backupStore(cli: Cli, flags: CommonFlags, name: string): Promise<void> {
  const file = resolve(folderOf(cli, flags), name)
  const { checkNotTaken } = await import('../../output/save-file.ts')
  checkNotTaken(file)
  return withStore(cli, flags, async (store, { output }) => {
    await present(store).backup(file)
    output.result({ file }, ({ path }) => `Copied the store to ${path(file)}.`)
  })
}

/** Prints every row. The lines are printed as they are read, and wait for their reader. */
export function exportStore(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, { ...flags, json: true }, { form: 'lines' })
  return withStore(
    cli,
    flags,
    async (store) => {
      if (!store) return
      let lines = 0
      for await (const line of store.export()) {
        output.result(JSON.parse(line), () => line)
        if (++lines % 500 === 0) await output.flush()
        if (output.closed.aborted) return
      }
    },
    { output },
  )
}

export function pruneStore(cli: Cli, flags: PruneFlags): Promise<void> {
  const before = new Date(Date.now() - flags.older).toISOString()
  return withStore(cli, flags, async (store, { output }) => {
    const old = (await store?.countOld(before)) ?? { conversations: 0, questions: 0, calls: 0 }
    const isNothing = old.conversations + old.questions + old.calls === 0
    const report = (rows: PrunedRows, drawn: string, more: object = {}) =>
      output.result({ before, ...rows, ...more }, () => drawn)
    const day = before.slice(0, 10)
    if (!store || isNothing) return report(old, `Nothing was last used before ${day}.`)
    if (flags.dryRun) return report(old, `Would remove ${drawRows(old)}.`, { dryRun: true })
    if (!flags.yes) {
      const error = await askForYes(
        cli,
        {
          message: `Remove ${drawRows(old)}, last used before ${day}?`,
          initial: false,
          refused: 'Nothing was removed.',
          noTerminal: {
            message: 'Nothing was removed: there is no terminal to ask in.',
            hint: 'Add --yes to remove it.',
          },
        },
        output,
      )
      if (error) return flags.json ? report(old, '', { dryRun: true, error }) : undefined
    }
    const gone = await store.prune(before)
    report(gone, `Removed ${drawRows(gone)}.`)
  })
}

function present(store: Store | undefined): Store {
  if (store) return store
  throw new HostError('store.unavailable', { place: '' }, noStore, { hint: 'Begin one: plugboard chat' })
}

function drawRows({ conversations, questions, calls }: PrunedRows): string {
  return [count(conversations, 'conversation'), count(questions, 'question'), count(calls, 'call')].join(', ')
}

function drawStatus({ driver, place, step, bytes, rows }: StoreStatus, { style, path }: Canvas): string {
  const size = bytes === undefined ? [] : [['size', `${(bytes / 1e6).toFixed(1)} MB`] as const]
  const lines = [
    ['place', driver === 'pg' ? escapeLine(place) : path(place)] as const,
    ['driver', driver] as const,
    ...size,
    ['tables', step] as const,
    ...Object.entries(rows).map(([table, number]) => [table, String(number)] as const),
  ]
  return lines.map(([name, value]) => `${style.dim(name.padEnd(14))}${value}`).join('\n')
}
