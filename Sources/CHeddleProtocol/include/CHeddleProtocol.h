// Made by `make generate` from proto/; edit that instead.

#ifndef CHEDDLEPROTOCOL_H
#define CHEDDLEPROTOCOL_H

#include "heddle_schema.h"
#include "heddle_comments.h"
#include "heddle/v1/frame.pb-c.h"
#include "heddle/v1/item.pb-c.h"
#include "heddle/v1/client.pb-c.h"
#include "heddle/v1/settings.pb-c.h"
#include "heddle/v1/turn.pb-c.h"
#include "heddle/v1/event.pb-c.h"
#include "heddle/v1/agent.pb-c.h"
#include "heddle/v1/catalog.pb-c.h"
#include "heddle/v1/server.pb-c.h"
#include "heddle/v1/storage.pb-c.h"
#include "heddle/v1/thread.pb-c.h"

// Swift does not see the address of a C global through its value, so each descriptor has an accessor.
static inline const ProtobufCMessageDescriptor *heddle_descriptor_metadata(void) { return &heddle__v1__metadata__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_client_hello(void) { return &heddle__v1__client_hello__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_server_hello(void) { return &heddle__v1__server_hello__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_connection_limits(void) { return &heddle__v1__connection_limits__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_error_detail(void) { return &heddle__v1__error_detail__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_error(void) { return &heddle__v1__error__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_credit(void) { return &heddle__v1__credit__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_ping(void) { return &heddle__v1__ping__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_pong(void) { return &heddle__v1__pong__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_go_away(void) { return &heddle__v1__go_away__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_image_part(void) { return &heddle__v1__image_part__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_opaque_part(void) { return &heddle__v1__opaque_part__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_content_part(void) { return &heddle__v1__content_part__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_message_item(void) { return &heddle__v1__message_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_reasoning_item(void) { return &heddle__v1__reasoning_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_tool_call_item(void) { return &heddle__v1__tool_call_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_tool_output_item(void) { return &heddle__v1__tool_output_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_mail(void) { return &heddle__v1__agent_mail__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_message_item(void) { return &heddle__v1__agent_message_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_compaction_item(void) { return &heddle__v1__compaction_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_marker_item(void) { return &heddle__v1__marker_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_item(void) { return &heddle__v1__item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_call_tool_request(void) { return &heddle__v1__call_tool_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_call_tool_response(void) { return &heddle__v1__call_tool_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_request_user_input_request(void) { return &heddle__v1__request_user_input_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_request_user_input_response(void) { return &heddle__v1__request_user_input_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_open_call(void) { return &heddle__v1__open_call__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_call_ended(void) { return &heddle__v1__call_ended__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_answer_call_request(void) { return &heddle__v1__answer_call_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_answer_call_response(void) { return &heddle__v1__answer_call_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_name_value(void) { return &heddle__v1__name_value__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_settings(void) { return &heddle__v1__settings__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_mode_selection(void) { return &heddle__v1__mode_selection__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_tool_definition(void) { return &heddle__v1__tool_definition__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_tool_selection(void) { return &heddle__v1__tool_selection__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_settings_change(void) { return &heddle__v1__settings_change__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_read_settings_request(void) { return &heddle__v1__read_settings_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_read_settings_response(void) { return &heddle__v1__read_settings_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_update_settings_request(void) { return &heddle__v1__update_settings_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_update_settings_response(void) { return &heddle__v1__update_settings_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_token_usage(void) { return &heddle__v1__token_usage__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_error(void) { return &heddle__v1__turn_error__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_context(void) { return &heddle__v1__turn_context__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_input(void) { return &heddle__v1__turn_input__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn(void) { return &heddle__v1__turn__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_queued_turn(void) { return &heddle__v1__queued_turn__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_start_turn_request(void) { return &heddle__v1__start_turn_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_start_turn_response(void) { return &heddle__v1__start_turn_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_steer_turn_request(void) { return &heddle__v1__steer_turn_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_steer_turn_response(void) { return &heddle__v1__steer_turn_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_interrupt_turn_request(void) { return &heddle__v1__interrupt_turn_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_interrupt_turn_response(void) { return &heddle__v1__interrupt_turn_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_queue_request(void) { return &heddle__v1__list_queue_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_queue_response(void) { return &heddle__v1__list_queue_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_cancel_queued_turn_request(void) { return &heddle__v1__cancel_queued_turn_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_cancel_queued_turn_response(void) { return &heddle__v1__cancel_queued_turn_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_lineage(void) { return &heddle__v1__lineage__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_created(void) { return &heddle__v1__thread_created__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_settings_updated(void) { return &heddle__v1__settings_updated__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_version_pinned(void) { return &heddle__v1__version_pinned__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_name_changed(void) { return &heddle__v1__name_changed__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_archived(void) { return &heddle__v1__thread_archived__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_unarchived(void) { return &heddle__v1__thread_unarchived__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_queued(void) { return &heddle__v1__turn_queued__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_queued_turn_cancelled(void) { return &heddle__v1__queued_turn_cancelled__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_started(void) { return &heddle__v1__turn_started__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_input_steered(void) { return &heddle__v1__input_steered__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_item_started(void) { return &heddle__v1__item_started__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_item_checkpoint(void) { return &heddle__v1__item_checkpoint__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_item_completed(void) { return &heddle__v1__item_completed__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_model_retried(void) { return &heddle__v1__model_retried__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_usage_reported(void) { return &heddle__v1__usage_reported__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_ended(void) { return &heddle__v1__turn_ended__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turns_rolled_back(void) { return &heddle__v1__turns_rolled_back__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_context_compacted(void) { return &heddle__v1__context_compacted__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_mail_received(void) { return &heddle__v1__mail_received__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_mail_queued(void) { return &heddle__v1__mail_queued__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_mail_delivered(void) { return &heddle__v1__mail_delivered__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_activity(void) { return &heddle__v1__agent_activity__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_closed(void) { return &heddle__v1__agent_closed__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_reopened(void) { return &heddle__v1__agent_reopened__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_foreign_record(void) { return &heddle__v1__foreign_record__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_event(void) { return &heddle__v1__event__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_status(void) { return &heddle__v1__thread_status__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_item_delta(void) { return &heddle__v1__item_delta__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_item_snapshot(void) { return &heddle__v1__item_snapshot__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_subscribed(void) { return &heddle__v1__subscribed__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_live(void) { return &heddle__v1__live__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_progress(void) { return &heddle__v1__progress__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_status_changed(void) { return &heddle__v1__status_changed__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_started_notice(void) { return &heddle__v1__thread_started_notice__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_deleted_notice(void) { return &heddle__v1__thread_deleted_notice__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_archive_notice(void) { return &heddle__v1__thread_archive_notice__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_name_notice(void) { return &heddle__v1__thread_name_notice__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_subscription_event(void) { return &heddle__v1__subscription_event__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent(void) { return &heddle__v1__agent__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_tree_request(void) { return &heddle__v1__list_tree_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_tree_response(void) { return &heddle__v1__list_tree_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_interrupt_agent_request(void) { return &heddle__v1__interrupt_agent_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_interrupt_agent_response(void) { return &heddle__v1__interrupt_agent_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_close_agent_request(void) { return &heddle__v1__close_agent_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_close_agent_response(void) { return &heddle__v1__close_agent_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_catalog_model(void) { return &heddle__v1__catalog_model__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_models_request(void) { return &heddle__v1__list_models_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_models_response(void) { return &heddle__v1__list_models_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_feature(void) { return &heddle__v1__feature__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_features_request(void) { return &heddle__v1__list_features_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_features_response(void) { return &heddle__v1__list_features_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_set_feature_request(void) { return &heddle__v1__set_feature_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_set_feature_response(void) { return &heddle__v1__set_feature_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_server_status_request(void) { return &heddle__v1__server_status_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_provider_status(void) { return &heddle__v1__provider_status__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_server_status_response(void) { return &heddle__v1__server_status_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_start_capture_request(void) { return &heddle__v1__start_capture_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_capture_state(void) { return &heddle__v1__capture_state__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_start_capture_response(void) { return &heddle__v1__start_capture_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_stop_capture_request(void) { return &heddle__v1__stop_capture_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_stop_capture_response(void) { return &heddle__v1__stop_capture_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_read_capture_request(void) { return &heddle__v1__read_capture_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_read_capture_response(void) { return &heddle__v1__read_capture_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_turn_range(void) { return &heddle__v1__turn_range__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_history_segment(void) { return &heddle__v1__history_segment__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_open_item(void) { return &heddle__v1__open_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_pending_input(void) { return &heddle__v1__pending_input__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_running_turn(void) { return &heddle__v1__running_turn__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_state(void) { return &heddle__v1__agent_state__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_ended_turn(void) { return &heddle__v1__ended_turn__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_thread_record(void) { return &heddle__v1__thread_record__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_agent_thread(void) { return &heddle__v1__agent_thread__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_start_thread_request(void) { return &heddle__v1__start_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_start_thread_response(void) { return &heddle__v1__start_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_resume_thread_request(void) { return &heddle__v1__resume_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_resume_thread_response(void) { return &heddle__v1__resume_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_fork_thread_request(void) { return &heddle__v1__fork_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_fork_thread_response(void) { return &heddle__v1__fork_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_read_thread_request(void) { return &heddle__v1__read_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_read_thread_response(void) { return &heddle__v1__read_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_threads_request(void) { return &heddle__v1__list_threads_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_threads_response(void) { return &heddle__v1__list_threads_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_loaded_threads_request(void) { return &heddle__v1__list_loaded_threads_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_loaded_threads_response(void) { return &heddle__v1__list_loaded_threads_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_search_threads_request(void) { return &heddle__v1__search_threads_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_search_hit(void) { return &heddle__v1__search_hit__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_search_threads_response(void) { return &heddle__v1__search_threads_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_turns_request(void) { return &heddle__v1__list_turns_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_turns_response(void) { return &heddle__v1__list_turns_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_listed_item(void) { return &heddle__v1__listed_item__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_items_request(void) { return &heddle__v1__list_items_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_list_items_response(void) { return &heddle__v1__list_items_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_set_thread_name_request(void) { return &heddle__v1__set_thread_name_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_set_thread_name_response(void) { return &heddle__v1__set_thread_name_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_archive_thread_request(void) { return &heddle__v1__archive_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_archive_thread_response(void) { return &heddle__v1__archive_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_unarchive_thread_request(void) { return &heddle__v1__unarchive_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_unarchive_thread_response(void) { return &heddle__v1__unarchive_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_delete_thread_request(void) { return &heddle__v1__delete_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_delete_thread_response(void) { return &heddle__v1__delete_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_rollback_thread_request(void) { return &heddle__v1__rollback_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_rollback_thread_response(void) { return &heddle__v1__rollback_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_compact_thread_request(void) { return &heddle__v1__compact_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_compact_thread_response(void) { return &heddle__v1__compact_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_inject_items_request(void) { return &heddle__v1__inject_items_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_inject_items_response(void) { return &heddle__v1__inject_items_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_export_thread_request(void) { return &heddle__v1__export_thread_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_export_thread_response(void) { return &heddle__v1__export_thread_response__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_subscribe_request(void) { return &heddle__v1__subscribe_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_unsubscribe_request(void) { return &heddle__v1__unsubscribe_request__descriptor; }
static inline const ProtobufCMessageDescriptor *heddle_descriptor_unsubscribe_response(void) { return &heddle__v1__unsubscribe_response__descriptor; }

#endif
