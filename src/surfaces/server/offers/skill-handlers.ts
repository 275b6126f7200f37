import type { Host } from '../../../index.ts'
import { shownFailure } from '../../../internal.ts'
import { clean } from '../../facts/result-facts.ts'
import { showFindings } from '../../facts/findings/shown-finding.ts'
import { describeSkill, heldSkills } from '../../facts/skills/skill-facts.ts'
import type { Handlers } from '../handler.ts'
import { offersOf } from './offer-state.ts'

/** A longer text is cut: a page shows no more of it. */
const maxTextLength = 1_000_000
/** A page lists no more. */
const maxRows = 2000

export const skillHandlers = {
  async 'GET /api/skills'(context) {
    const { host } = context
    await host.ready({ from: 'disk' })
    offersOf(context).load()
    const offered = host.skills().map((skill) => describeSkill(skill))
    const bad = host.problems().filter(({ code }) => code === 'skill-unusable')
    const all = [...heldSkills(host), ...offered]
    return {
      skills: all.slice(0, maxRows).map((row) => ({
        ...row,
        description: clean(row.description),
      })),
      problems: [...bad.map(({ message }) => message), ...(all.length === 0 ? unasked(host) : [])].map(clean),
    }
  },

  /** By its server and address: a skill that is held is read too, before a person decides about it. */
  async 'GET /api/skill'({ host }, { query }, { signal }) {
    const { server = '', uri: address = '', file } = query ?? {}
    const options = { server, signal, ...(file !== undefined && { file }) }
    const { uri, path, bytes, text, findings } = await host.readSkill(address, options)
    const isCut = (text?.length ?? 0) > maxTextLength
    return {
      uri,
      path,
      bytes,
      ...(text !== undefined && { text: clean(text.slice(0, maxTextLength)) }),
      ...(isCut && { isCut }),
      ...(findings && { findings: showFindings(findings) }),
    }
  },
} satisfies Partial<Handlers>

/** Servers that may have skills and could not be asked. */
function unasked(host: Host): readonly string[] {
  return host.servers().flatMap(({ name, status }) => {
    const { state } = status
    if (state !== 'failed' && state !== 'waiting' && state !== 'needs-auth') return []
    return [`"${name}" could not be asked for skills. ${shownFailure(name, status).message}`]
  })
}
