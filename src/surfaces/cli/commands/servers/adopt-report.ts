import { redactWords } from '../../../../internal.ts'
import type { AdoptPlan, ReleasePlan } from '../../../../internal.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { toWrite } from './consent.ts'
import type { Question } from './consent.ts'

export function toAdoptionJson(plan: AdoptPlan) {
  const { client, title, view, moved, stays, lost, notes, secretPlaces, kept, writes } = plan
  return {
    client,
    title,
    view,
    moved,
    stays: stays.map((each) => ({ ...each, reason: redactWords(each.reason) })),
    lost,
    secrets: secretPlaces,
    notes,
    kept: kept.map(({ file, kept: copy }) => ({ file, kept: copy })),
    writes,
  }
}

export function toReleaseJson(plan: ReleasePlan) {
  const { client, title, restored, left, identical, keeps, lost, writes, removes } = plan
  return { client, title, restored, left, identical, keeps, lost, writes, removes }
}

/** Names every file, so that a yes covers no other one. */
export function questionAbout(plan: AdoptPlan | ReleasePlan, { notes: { path } }: Output): Question {
  const secrets = plan.kind === 'adopt' ? plan.secrets : plan.accounts
  const removes = plan.kind === 'adopt' ? [] : plan.removes
  const keychain = plan.kind === 'adopt' ? 'put into your keychain' : 'remove from your keychain'
  const steps = [
    `Write ${list(plan.writes.map(path))}`,
    ...(removes.length > 0 ? [`remove ${list(removes.map(path))}`] : []),
    ...(secrets.length > 0
      ? [`${keychain} ${secrets.length === 1 ? 'one secret' : `${secrets.length} secrets`}`]
      : []),
  ]
  return toWrite(`${list(steps)}?`)
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Says what the changed lines do not show: other names, secrets, rules of tools, and what stays. */
export function noteAdoption(plan: AdoptPlan, output: Output): void {
  const { title, view, moved, stays, lost, notes, secretPlaces, kept, changes } = plan
  const { path } = output.notes
  const own = changes[0]?.file ?? ''
  for (const { name, as, isShared } of moved) {
    if (isShared) output.note(`"${name}" is in your own file already; it is used by both.`)
    else if (as !== name) output.note(`"${name}" is "${as}" in ${path(own)}.`)
  }
  output.note(
    `Tools have other names now: ${moved.map(({ name, toolNames }) => `those of "${name}" are ${toolNames}`).join(', ')}. Rules of ${title} that name them have to follow.`,
  )
  const filtered = moved.filter(({ tools }) => tools).map(({ name }) => `"${name}"`)
  if (filtered.length > 0)
    output.note(`The tools that ${filtered.join(', ')} left out are left out by the view "${view}".`)
  for (const { server, store } of secretPlaces)
    output.note(
      store === 'keychain'
        ? `The secrets of "${server}" go into your keychain.`
        : `The secrets of "${server}" go into ${path(own)}, which only you can read: there is no keychain for them here.`,
    )
  for (const note of notes) output.note(note)
  for (const { file, kept: copy } of kept) output.note(`${path(file)} as it was is kept in ${path(copy)}.`)
  for (const { name, file, reason } of stays)
    output.warn(redactWords(`"${name}" stays in ${path(file)}: ${reason}`))
  for (const { field, reason } of lost) output.warn(redactWords(`${field}: ${reason}`))
}

export function noteRelease({ left, lost, keeps }: ReleasePlan, output: Output): void {
  for (const { name, reason } of left) output.warn(redactWords(`"${name}" is not put back: ${reason}`))
  for (const { field, reason } of lost) output.warn(redactWords(`${field}: ${reason}`))
  for (const copy of keeps)
    output.note(`The file was changed since; the one before is still in ${output.notes.path(copy)}.`)
}
