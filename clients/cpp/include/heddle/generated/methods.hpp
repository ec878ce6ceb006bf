// Made by `make generate` from proto/; edit that instead.
// codegen/clients/cpp.py writes this file.
#pragma once

#include "heddle/detail/method.hpp"

namespace heddle {

// The name of the schema that this client was made from.
inline constexpr std::string_view schema_hash = "7a5afdadcf3c350e";

namespace detail::methods {

inline constexpr method threads_start{101, "ThreadService/Start", true, true};
inline constexpr method threads_resume{102, "ThreadService/Resume", true, true};
inline constexpr method threads_fork{103, "ThreadService/Fork", true, true};
inline constexpr method threads_read{104, "ThreadService/Read", false, true};
inline constexpr method threads_list{105, "ThreadService/List", false, true};
inline constexpr method threads_list_loaded{106, "ThreadService/ListLoaded", false, true};
inline constexpr method threads_search{107, "ThreadService/Search", false, true};
inline constexpr method threads_list_turns{108, "ThreadService/ListTurns", false, true};
inline constexpr method threads_list_items{109, "ThreadService/ListItems", false, true};
inline constexpr method threads_set_name{110, "ThreadService/SetName", true, true};
inline constexpr method threads_archive{111, "ThreadService/Archive", true, true};
inline constexpr method threads_unarchive{112, "ThreadService/Unarchive", true, true};
inline constexpr method threads_delete{113, "ThreadService/Delete", true, true};
inline constexpr method threads_rollback{114, "ThreadService/Rollback", true, true};
inline constexpr method threads_compact{115, "ThreadService/Compact", true, true};
inline constexpr method threads_inject_items{116, "ThreadService/InjectItems", true, true};
inline constexpr method threads_export{117, "ThreadService/Export", false, true};
inline constexpr method threads_subscribe{118, "ThreadService/Subscribe", false, true};
inline constexpr method threads_unsubscribe{119, "ThreadService/Unsubscribe", false, true};
inline constexpr method turns_start{201, "TurnService/Start", true, true};
inline constexpr method turns_steer{202, "TurnService/Steer", true, true};
inline constexpr method turns_interrupt{203, "TurnService/Interrupt", true, true};
inline constexpr method turns_list_queue{204, "TurnService/ListQueue", false, true};
inline constexpr method turns_cancel_queued{205, "TurnService/CancelQueued", true, true};
inline constexpr method settings_read{301, "SettingsService/Read", false, true};
inline constexpr method settings_update{302, "SettingsService/Update", true, true};
inline constexpr method agents_list_tree{401, "AgentService/ListTree", false, true};
inline constexpr method agents_interrupt{402, "AgentService/Interrupt", true, true};
inline constexpr method agents_close{403, "AgentService/Close", true, true};
inline constexpr method catalog_list_models{501, "CatalogService/ListModels", false, true};
inline constexpr method catalog_list_features{502, "CatalogService/ListFeatures", false, true};
inline constexpr method catalog_set_feature{503, "CatalogService/SetFeature", true, true};
inline constexpr method server_status{601, "ServerService/Status", false, true};
inline constexpr method server_start_capture{602, "ServerService/StartCapture", false, false};
inline constexpr method server_stop_capture{603, "ServerService/StopCapture", false, false};
inline constexpr method server_read_capture{604, "ServerService/ReadCapture", false, true};
inline constexpr method calls_answer{801, "CallService/Answer", true, true};

// The methods that the server calls on a client.
inline constexpr std::uint16_t call_tool = 701;
inline constexpr std::uint16_t request_user_input = 702;

inline constexpr const method* all[] = {
    &threads_start,
    &threads_resume,
    &threads_fork,
    &threads_read,
    &threads_list,
    &threads_list_loaded,
    &threads_search,
    &threads_list_turns,
    &threads_list_items,
    &threads_set_name,
    &threads_archive,
    &threads_unarchive,
    &threads_delete,
    &threads_rollback,
    &threads_compact,
    &threads_inject_items,
    &threads_export,
    &threads_subscribe,
    &threads_unsubscribe,
    &turns_start,
    &turns_steer,
    &turns_interrupt,
    &turns_list_queue,
    &turns_cancel_queued,
    &settings_read,
    &settings_update,
    &agents_list_tree,
    &agents_interrupt,
    &agents_close,
    &catalog_list_models,
    &catalog_list_features,
    &catalog_set_feature,
    &server_status,
    &server_start_capture,
    &server_stop_capture,
    &server_read_capture,
    &calls_answer,
};

}  // namespace detail::methods

}  // namespace heddle
