import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import type { WriteRules } from '../../entries/write-rules.ts'

/** YAML files have a list of servers and a heading; JSON files are in the form of other programs. */
export const continueWrites: WriteRules = {
  root: () => ['mcpServers'],
  list: ({ format }) => format === 'yaml',
  newFile: ({ format }) =>
    format === 'yaml' ? { name: 'Local Config', version: '1.0.0', schema: 'v1' } : {},
  auth: writeAuth,
  headersUnder: 'requestOptions',
  valueKeys: ['requestOptions'],
  boundKeys: ['apiKey', 'requestOptions'],
}

function writeAuth({ type, value }: Auth): JsonObject | undefined {
  return type === 'apiKey' && value !== undefined ? { apiKey: value } : undefined
}
