import { dirname } from 'node:path'
import { HostError } from '../../model/error.ts'
import type { Keychain } from '../../platform/login-ports.ts'
import type { Files, Platform } from '../../platform/platform.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { writeChanges } from '../edit/dry-run.ts'
import type { FileChange } from '../edit/dry-run.ts'
import type { AdoptPlan, ReleasePlan } from './adopt-plan.ts'
import { adoptionsFile, forgetAdoption, readAdoptions, recordAdoption } from './adoption-record.ts'
import { entryService } from './keychain-secrets.ts'
import { textNow } from './our-entries.ts'

/**
 * Does what a plan says. Nothing is written if one of its files changed since it was shown. The record comes first and the
 * client's files come last: if the program ends before, they are as they were, and releasing the client removes the rest.
 */
export async function applyPlan(plan: AdoptPlan | ReleasePlan, options: DiscoverOptions = {}): Promise<void> {
  const platform = await platformOf(options)
  // One at a time: of two that adopt the same client at once, the one that fails would undo what the other recorded and kept.
  await platform.lock(`${adoptionsFile(platform)}.apply`, async () => {
    await refuseChanged(plan.changes, platform.files)
    if (plan.kind === 'adopt') await adopt(plan, platform, options)
    else await release(plan, platform, options)
  })
}

async function refuseChanged(changes: readonly FileChange[], files: Files): Promise<void> {
  for (const { file, before } of changes)
    if ((await textNow(file, files)) !== before)
      throw new HostError('config.conflict', { file }, `${file} has changed since it was shown.`, {
        hint: 'Nothing was written. Try again.',
      })
}

async function adopt(plan: AdoptPlan, platform: Platform, options: DiscoverOptions): Promise<void> {
  const { client, record, secrets, kept, changes } = plan
  if ((await readAdoptions(platform)).clients.has(client))
    throw new HostError('config.conflict', { file: client }, `${plan.title} was adopted meanwhile.`)
  const undo: (() => Promise<unknown>)[] = []
  try {
    await recordAdoption(client, record, platform)
    undo.push(() => forgetAdoption(client, platform))
    for (const { account, secret } of secrets) {
      undo.push(() => store(platform.keychain, account, undefined))
      await store(platform.keychain, account, secret)
    }
    for (const each of kept) {
      const found = await platform.files.readText(each.file)
      const mark = found.kind === 'text' && found.bom ? '\uFEFF' : ''
      await platform.files.replace(each.kept, mark + each.text, { mode: 0o600, over: { kind: 'absent' } })
      // A copy that was there before is not ours to remove.
      undo.push(() => platform.files.remove(each.kept))
    }
    for (const change of changes) {
      await platform.files.makePrivateDirectory(dirname(change.file)).catch(() => undefined)
      await writeChanges([change], options)
      undo.push(() => undoChange(change, record.created, platform, options))
    }
  } catch (error) {
    for (const each of undo.reverse()) await each().catch(() => undefined)
    throw error
  }
}

async function undoChange(
  change: FileChange,
  created: readonly string[],
  platform: Platform,
  options: DiscoverOptions,
): Promise<void> {
  if (created.includes(change.file)) return platform.files.remove(change.file)
  await writeChanges([{ ...change, before: change.after, after: change.before }], options)
}

async function store(keychain: Keychain | undefined, account: string, secret: string | undefined) {
  await keychain?.store?.(entryService, account, secret)
}

/** The client's files come first here: the copies of its secrets go only when it has them back. */
async function release(plan: ReleasePlan, platform: Platform, options: DiscoverOptions): Promise<void> {
  const { client, changes, removes, accounts } = plan
  for (const change of [...changes].reverse()) await writeChanges([change], options)
  await forgetAdoption(client, platform)
  for (const file of removes) await platform.files.remove(file)
  for (const account of accounts) await store(platform.keychain, account, undefined).catch(() => undefined)
}
