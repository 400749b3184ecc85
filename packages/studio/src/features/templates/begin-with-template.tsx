import { useState } from 'react'
import { NewWorkflow } from '../../designer/new-workflow.tsx'
import type { Template } from './template.ts'
import { TemplateGallery } from './template-gallery.tsx'

/** Where there is no workflow yet: choosing one asks for its name, and opens its drawing. */
export function BeginWithTemplate() {
  const [chosen, choose] = useState<Template>()
  return (
    <>
      <TemplateGallery label="Begin with a template" choose={choose} />
      {chosen !== undefined && <NewWorkflow template={chosen} close={() => choose(undefined)} />}
    </>
  )
}
