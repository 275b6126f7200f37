import type { ToolDetail } from '../../../../src/client.ts'
import type { Json } from '../../../../src/model/json.ts'
import { commandOfCall } from '../../../../src/surfaces/facts/call-command.ts'
import { Button } from '../../parts/button.tsx'
import { JsonModes } from '../../parts/field-json.tsx'
import type { Draft } from '../../parts/form-draft.ts'
import { addresses } from '../../state/addresses.ts'
import { copy } from '../../state/announce.ts'

/** What concerns the whole form: form or JSON, an example, copies. */
export function FormTools({
  tool,
  draft,
  args,
  onChange,
  onReplace,
  onClear,
}: {
  readonly tool: ToolDetail
  readonly draft: Draft
  readonly args: Json
  readonly onChange: (change: (draft: Draft) => Draft) => void
  readonly onReplace: (args: Json) => void
  readonly onClear: () => void
}) {
  const { ref } = tool.row
  const isEmpty = draft.value === undefined && Object.keys(draft.texts).length === 0
  const hasFields = tool.form.kind !== 'object' || tool.form.fields.length > 0
  const command = commandOfCall(ref, args)
  return (
    <div class="form-tools">
      {hasFields && (
        <>
          <JsonModes field={tool.form} draft={draft} onChange={onChange} />
          <Button kind="plain" about="Fill in an example" onPress={() => onReplace(tool.example)}>
            Example
          </Button>
          {!isEmpty && (
            <Button kind="plain" about="Empty the form" onPress={onClear}>
              Clear
            </Button>
          )}
          <span class="grow" />
        </>
      )}
      <span class="copies">
        <span class="dim">Copy as</span>
        <Button kind="plain" command={command} onPress={() => void copy(command, 'Command copied')}>
          command
        </Button>
        <Button
          kind="plain"
          about="Copy the arguments as JSON"
          onPress={() => void copy(JSON.stringify(args, null, 2), 'JSON copied')}
        >
          JSON
        </Button>
        <Button
          kind="plain"
          about="Copy a link to this tool with these arguments"
          onPress={() => void copy(`${location.origin}${addresses.tool(ref, args)}`, 'Link copied')}
        >
          link
        </Button>
      </span>
    </div>
  )
}
