import { HostError, isHostError } from '../../model/error.ts'
import { isAtLeast } from '../../model/finding.ts'
import type { Finding } from '../../model/finding.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { toSkill } from '../../model/skills/offered-skills.ts'
import type { SkillEntry } from '../../model/skills/skill.ts'
import { fromRef } from '../../model/tool.ts'
import { heldError } from '../held-tool.ts'
import { withCleanProgress } from '../call-events.ts'
import { stringField, toTextResult } from '../view/own-tools.ts'
import type { ViewContext } from '../view/view-context.ts'
import type { CallOptions, View } from '../view/view.ts'
import { beforeSending, withDeadline } from '../view/wait-for-servers.ts'
import type { ServerWaits, StartedOptions } from '../view/wait-for-servers.ts'
import type { SkillCall } from './skill-call.ts'
import type { ReadSkill } from './skill-requests.ts'
import { unknownSkill } from './visible-skills.ts'
import type { VisibleSkills } from './visible-skills.ts'

interface SkillScope {
  readonly visible: VisibleSkills
  readonly admitsServer: (server: string) => boolean
  readonly waits: ServerWaits
  readonly lane: unknown
}

export interface ViewSkills extends Pick<View, 'skills' | 'readSkill' | 'skillFolder'> {
  /** Finds a skill for a model; waits for the server that it may belong to. */
  readonly findCall: (word: string, options: CallOptions) => Promise<SkillCall>
  /** Whether this exact content was loaded here, so that its other files may be read. */
  readonly isLoaded: (call: SkillCall) => boolean
  /** Runs a call of a skill that may run: reads, verifies and scans a file, and gives its text to the model. */
  readonly load: (call: SkillCall, args: JsonObject, options: StartedOptions) => Promise<Json>
}

/** The skills of one view. Requests, verification and YAML are loaded with the first skill that is read. */
export function createViewSkills(context: ViewContext, scope: SkillScope): ViewSkills {
  const { visible, waits, lane } = scope
  const { clock } = context
  /** What was loaded here, by server and address: files are read as these entries list them. */
  const loaded = new Map<string, SkillEntry>()
  const keyOf = ({ server, entry }: ReadSkill) => JSON.stringify([server, entry.uri])
  const mask = (text: string) => context.redactor.maskKnown(text)
  const toRequest = (options: StartedOptions) => ({ ...withCleanProgress(options, mask), lane })

  const findCall: ViewSkills['findCall'] = async (word, given) => {
    const known = visible.find(word)
    if (known) return known
    const options = withDeadline(given, clock)
    const server = fromRef(word)?.server
    const limits = { signal: options.signal }
    const waited = server === undefined ? waits.all(limits) : waits.forServer(server, limits)
    await beforeSending(waited, { ...options, method: 'skills/list', clock })
    const found = visible.find(word)
    if (!found) throw unknownSkill(word, visible.all())
    return found
  }
  /** A skill that its server does not list is asked for by its address. */
  const findForPerson = async (
    word: string,
    options: StartedOptions,
    server?: string,
  ): Promise<ReadSkill> => {
    if (server === undefined || !word.endsWith('/SKILL.md')) return findCall(word, options)
    if (!context.serverOf(server) || !scope.admitsServer(server))
      throw new HostError('server.unknown', { server }, `There is no server "${server}" here.`)
    const listed = visible.all().find((call) => call.server === server && call.skill.uri === word)
    if (listed) return listed
    const { getSkillEntry } = await import('./skill-requests.ts')
    const entry = await getSkillEntry(context, { server, uri: word }, toRequest(options))
    if (!entry) throw unknownSkill(word, visible.all())
    return { server, entry }
  }
  /** Throws if the skill is not what its server lists now: an entry from disk may be outdated. */
  const refuseOutdated = async (call: SkillCall, options: CallOptions) => {
    if (context.hasListed(call.server)) return
    await context.listServer(call.server, options)
    if (visible.byCall(call.ref)?.hash !== call.hash) throw changed(call)
  }
  const refuseBad = async (call: SkillCall, findings: readonly Finding[]) => {
    if (!findings.some(({ severity }) => isAtLeast(severity, 'high'))) return
    if (!(await context.holdSkill?.(call.skill, findings))) return
    const { ref, name, server } = call
    const rules = [...new Set(findings.map(({ rule }) => rule))].slice(0, 5).join(', ')
    const why = `The scanner found something suspicious (${rules}) in its SKILL.md.`
    throw heldError({ ref, name, server, reason: 'scan', why })
  }
  const read = async (skill: ReadSkill, file: string | undefined, options: StartedOptions) => {
    const { readSkillFile } = await import('./skill-requests.ts')
    return readSkillFile(context, skill, file, toRequest(options))
  }
  return {
    skills() {
      context.refresh()
      return visible.all().map(({ skill }) => skill)
    },
    findCall,
    isLoaded: (call) => loaded.has(keyOf(call)),
    async readSkill(word, { file, server, ...given } = {}) {
      const options = withDeadline(given, clock)
      const skill = await findForPerson(word, options, server)
      const { target, content } = await read(skill, file, options)
      const texts = content.text === undefined ? [] : [content.text]
      const findings = (await Promise.all(texts.map((text) => context.scanSkill(skill, text)))).flat()
      const { uri, path } = target
      const about = toSkill(skill.server, skill.entry)
      return { skill: about, uri, path, ...content, ...(findings.length > 0 && { findings }) }
    },
    async skillFolder(word, { folder = '', server, ...given } = {}) {
      const options = withDeadline(given, clock)
      const { readSkillFolder } = await import('./skill-requests.ts')
      return readSkillFolder(context, await findForPerson(word, options, server), folder, toRequest(options))
    },
    async load(call, args, given) {
      const options = withDeadline(given, clock)
      const file = stringField(args, 'file')
      const window = loaded.get(keyOf(call))
      if (file === undefined) await refuseOutdated(call, options)
      const entry = (file === undefined ? undefined : window) ?? call.entry
      const skill = { server: call.server, entry }
      try {
        const { target, content } = await read(skill, file, options)
        const findings = content.text === undefined ? [] : await context.scanSkill(skill, content.text)
        if (target.isManifest) await refuseBad(call, findings)
        loaded.set(keyOf(skill), entry)
        const { skillTextFor } = await import('./skill-text.ts')
        return toTextResult(skillTextFor(toSkill(call.server, entry), target, content, findings))
      } catch (error) {
        if (!isHostError(error, 'skill.unverified') || error.data.reason === 'unlisted') throw error
        loaded.delete(keyOf(skill))
        // Nothing that was approved holds for a server that sends something else.
        await context.memory.approvals.revoke({ ref: call.ref }).catch(() => undefined)
        const { renewSkill } = await import('./skill-requests.ts')
        const now = await renewSkill(context, skill, toRequest(options)).catch(() => 'unasked' as const)
        throw withState(error, now)
      }
    },
  }
}

const states = {
  same: 'Its server lists the same content as before.',
  changed: 'Its server lists other content now, which needs an approval of its own.',
  gone: 'Its server does not list it any more.',
  unasked: 'Its server could not be asked what it lists now.',
} as const

function withState(error: HostError<'skill.unverified'>, now: keyof typeof states): HostError {
  return new HostError('skill.unverified', error.data, `${error.message} ${states[now]}`, { cause: error })
}

function changed({ ref, skill }: SkillCall): HostError {
  const reason = 'it has changed since it was listed'
  const message = `The skill "${skill.name}" was not loaded: ${reason}. Try again: its current content is asked for then.`
  return new HostError('call.denied', { ref, reason }, message)
}
