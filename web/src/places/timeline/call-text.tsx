import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Fault } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { FilterBox } from '../../parts/filter-box.tsx'
import { cutText } from '../../parts/json-rows.ts'
import { ListHead } from '../../parts/list-head.tsx'
import { ErrorLine, Loading } from '../../parts/messages.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { addresses } from '../../state/addresses.ts'
import { toFault } from '../../state/answers.ts'
import { readCallText } from '../../state/call-text.ts'
import { usePageTitle } from '../../state/page-title.ts'

/** A long text of a result, whole: read in pieces, and only the lines in sight are drawn. */
export function CallText({ call, block }: { readonly call: string; readonly block: string }) {
  const [text, setText] = useState('')
  const [isWhole, setWhole] = useState(false)
  const [problem, setProblem] = useState<Fault>()
  const [words, setWords] = useState('')
  const [active, setActive] = useState(0)
  usePageTitle('Text of a result', 'Timeline')
  useEffect(() => {
    const ended = new AbortController()
    const read = async (): Promise<void> => {
      try {
        for await (const piece of readCallText(call, block, ended.signal)) setText((known) => known + piece)
        setWhole(true)
      } catch (error) {
        if (!ended.signal.aborted) setProblem(toFault(error))
      }
    }
    void read()
    return () => ended.abort()
  }, [call, block])
  const lines = useMemo(() => cutText(text), [text])
  const wanted = words.toLowerCase()
  const shown = useMemo(
    () =>
      lines
        .map((line, index) => ({ line, number: index + 1 }))
        .filter(({ line }) => wanted === '' || line.toLowerCase().includes(wanted)),
    [lines, wanted],
  )
  return (
    <div class="place call-text">
      <ListHead title="Text" hasDetail={false}>
        <FilterBox label="Lines with" value={words} onChange={setWords} />
        <span class="dim number">
          {wanted === '' ? '' : `${shown.length.toLocaleString('en')} of `}
          {lines.length.toLocaleString('en')} lines
          {isWhole ? '' : ', loading'}
        </span>
        <Button
          onPress={() => saveFile(`${call}.txt`, text)}
          {...(!isWhole && { refused: 'It is not whole yet' })}
        >
          Save
        </Button>
        <Button to={addresses.call(call)}>Call</Button>
      </ListHead>
      <ErrorLine error={problem} />
      {text === '' && !isWhole && !problem && <Loading what="Text" />}
      <VirtualList
        class="text-lines"
        label="Lines"
        count={shown.length}
        rowHeight={18}
        active={active}
        onActive={setActive}
        rowKey={(index) => String(shown[index]?.number ?? index)}
        row={(index, focus) => (
          <span {...focus} class="text-line">
            <span class="dim number">{shown[index]?.number}</span>
            <span>{shown[index]?.line}</span>
          </span>
        )}
      />
    </div>
  )
}
