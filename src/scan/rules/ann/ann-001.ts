import { isObject } from '../../../model/json.ts'
import { analyzeText } from '../../engine/analyze-text.ts'
import type { DefinitionRule } from '../rule.ts'

/** Verbs of writing in a tool's name. */
const writing =
  /^(?:delete|remove|drop|erase|wipe|destroy|purge|truncate|kill|terminate|create|write|update|insert|send|post|publish|execute|exec|run|transfer|pay|move|rename|overwrite|format|install|uninstall|upload|merge|revoke|grant|reset|modify|patch|put|commit|push|deploy|cancel|approve|archive|unlink|rm|buy|purchase|order|refund|charge|shutdown|reboot|restart|stop)$/
const reading =
  /^(?:get|list|read|search|find|fetch|describe|show|count|check|view|query|preview|validate|simulate|plan|estimate|explain|diff|compare|dry|is|has|can|look|lookup)$/
const writes =
  /^(?:delete|remove|erase|wipe|destroy|purge|truncate|kill|terminate|overwrite|uninstall|drop|send|publish|upload|install|transfer|post|write|modify|replace|pay|execute|revoke)s?$/

export const annotationRule: DefinitionRule = {
  id: 'ANN-001',
  severity: 'medium',
  over: 'definition',
  title: 'Says it only reads',
  reason:
    'Programs skip questions for tools that only read: a tool that says so and writes gets around them.',
  remedy: 'Treat it as a tool that writes, whatever its annotations say.',
  hits: [
    { name: 'delete_all', description: 'Deletes all files.', annotations: { readOnlyHint: true } },
    {
      name: 'clean',
      description: 'Deletes old rows and sends a report.',
      annotations: { readOnlyHint: true },
    },
  ],
  misses: [
    { name: 'list_deleted', description: 'Lists deleted files.', annotations: { readOnlyHint: true } },
    { name: 'delete_all', description: 'Deletes all files.', annotations: { readOnlyHint: false } },
    {
      name: 'get_post',
      description: 'Gets a post. Does not delete anything.',
      annotations: { readOnlyHint: true },
    },
    {
      name: 'run_query',
      description: 'Runs a SELECT and returns rows.',
      annotations: { readOnlyHint: true },
    },
  ],
  find: ({ kind, definition, name, description }) => {
    const { annotations } = definition
    if (
      kind !== 'tool' ||
      !isObject(annotations) ||
      (annotations['readOnlyHint'] !== true && annotations['readOnly'] !== true)
    )
      return []
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[^a-z]+/)
    const first = words.find((word) => writing.test(word) || reading.test(word)) ?? ''
    const isQuery = /quer|report|search|select|check|test|lint|simulat|analy|read|audit|scan|dry/.test(
      name.toLowerCase(),
    )
    // Nouns elsewhere: `disk_format`, `last_commit`.
    const isNoun =
      /^(?:format|order|post|patch|archive|commit|charge|refund|update|move|transfer|run)$/.test(first) &&
      words[0] !== first
    const isNamed =
      writing.test(first) &&
      !isNoun &&
      !(
        /^(?:run|execute|exec|post|order|format|archive|patch|put|push|commit|stop|reset)$/.test(first) &&
        (isQuery || words.length === 1)
      )
    const { sentences } = analyzeText(description.slice(0, 4000), {
      place: 'description',
      isHidden: false,
      domain: '',
    })
    const lead = sentences[0]
    const isDescribed =
      lead !== undefined &&
      !/\b(?:dry run|preview|simulat\w+|without (?:changing|writing|deleting|sending)|read-only|query|select|sql)\b/.test(
        lead.lower,
      ) &&
      lead.actions.some((action) => {
        const isAbout = action.form === 's' || (action.form === 'base' && action.mood === 'imperative')
        return (
          isAbout &&
          !action.isNegated &&
          writes.test(action.lemma) &&
          action.at <= 12 &&
          (action.at < 2 || action.form === 's')
        )
      }) &&
      !reading.test(first)
    // `Shows a report and then sends the payment.`
    const isAdded =
      lead !== undefined &&
      /\b(?:and|then|and then) (?:also )?(?:deletes|removes|erases|wipes|sends|pays|pushes|transfers|publishes|uploads|executes|overwrites|purges|installs)\b/.test(
        lead.lower,
      ) &&
      !/\b(?:that|who|which|when|if|after|before)\b[^.]{0,40}\b(?:and|then) (?:deletes|removes|sends|uploads|executes)/.test(
        lead.lower,
      )
    return isNamed || isDescribed || isAdded
      ? [
          {
            score: 0.5,
            message: 'Its annotations say that it only reads, its name or description that it writes.',
            evidence: `${name}: ${description.slice(0, 100)}`,
            pointer: '/annotations',
          },
        ]
      : []
  },
}
