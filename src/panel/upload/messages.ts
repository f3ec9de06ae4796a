import { saying, type Sayings } from '../frame/words/sayings.ts'
import { upload } from './words.ts'

/** What the API says of files and of what links lead to. */
export const uploadSayings: Sayings = {
  'form.tooLarge': saying(upload.faults.tooLarge, 'limit'),
  'form.emptyFile': upload.faults.empty,
  'recordings.emptyFile': upload.faults.link.empty,
}
