#pragma once

namespace frugal {

/// Metadata keys of tensor-file(5) that readers and writers act on.
inline constexpr char kVersionKey[] = "frugal.version";
inline constexpr char kKindKey[] = "frugal.kind";
inline constexpr char kToolKey[] = "frugal.tool";  ///< tool that owns the file: models, checkpoints
inline constexpr char kSequenceKey[] = "frugal.seq";  ///< only in documents of a stream
inline constexpr char kEncodingKey[] = "frugal.enc";  ///< how tensors are packed
inline constexpr char kHistoryKey[] = "frugal.history";

/// An end document has kind "end", the number of documents before it, its own plain offset, and in
/// regular files a U64 tensor of the plain offsets of those documents.
inline constexpr char kEndKind[] = "end";
inline constexpr char kCountKey[] = "frugal.documents";
inline constexpr char kOffsetKey[] = "frugal.offset";
inline constexpr char kStatusKey[] = "frugal.status";
inline constexpr char kComplete[] = "complete";
inline constexpr char kOffsetsTensor[] = "frugal.offsets";

}  // namespace frugal
