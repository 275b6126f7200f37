import { normalize } from '../../engine/normalize.ts'
import { scoreOf } from '../../engine/severity.ts'
import { verbWords } from '../../language/verbs.ts'
import type { RawRule } from '../rule.ts'

/** Words for which a look-alike is no accident. */
const watched =
  /^(?:instructions?|prompts?|system|user|users|assistant|password|passwords|token|tokens|secret|secrets|key|keys|credentials?|ssh|env|previous|rules?|tool|tools|file|files|http|https|api|admin|github|gitlab|slack|google|gmail|notion|stripe|postgres|filesystem|memory|paypal|microsoft|amazon|aws|linear|jira|docker|email|mail|bcc|important|conversation|history|private|before|always|never|must|not|all)$/i

export const lookAlikeRule: RawRule = {
  id: 'UNI-006',
  severity: 'high',
  over: 'raw',
  title: 'Look-alike letters',
  reason:
    'A word with letters of another script looks the same to a person, but is another word for filters and names.',
  remedy: 'Do not use it: compare the name with the one that you expect, letter by letter.',
  hits: ['Please ignоre it.', { name: 'gіthub', description: 'Lists issues.' }],
  misses: ['Показывает погоду.', 'Angle α and β of a triangle.', 'Größe in µm.'],
  find: ({ surface, visible }) => {
    const { lookAlikes } = normalize(visible.slice(0, 64 * 1024))
    if (lookAlikes.length === 0) return []
    const word = lookAlikes.find((each) => verbWords.has(each.toLowerCase()) || watched.test(each))
    const isName = surface.place === 'name' || surface.place === 'key'
    const score =
      word !== undefined || isName ? scoreOf.high : lookAlikes.length > 2 ? scoreOf.medium : scoreOf.low
    return [
      {
        score,
        message: 'It writes words with letters of another script that look the same.',
        evidence: lookAlikes.slice(0, 5).join(', '),
      },
    ]
  },
}
